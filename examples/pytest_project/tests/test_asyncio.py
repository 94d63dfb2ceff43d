"""A controller on asyncio: the device has a thread and a loop of its own, so the test's loop is the controller's."""

import asyncio

from protocol import messages as m
from shuffler import AsyncClient


def test_an_asyncio_controller_sees_the_cable_go_and_come_back(shuffler_device):
    async def story():
        async with await AsyncClient.open(shuffler_device.url) as client:
            assert (await client.call(m.GetInfo())).profile == "i-deal-style"
            shuffler_device.unplug()
            shuffler_device.plug()
            return await client.call(m.GetStatus())

    assert asyncio.run(story()).round == 0
