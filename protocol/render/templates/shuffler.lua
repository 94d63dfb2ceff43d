-- Wireshark dissector of the shuffler bench's wire protocol, version @version@, catalogue @fingerprint@.
--
-- Rendered by `shuffler protocol docs` from the declared messages: change those, not this file. docs/recording.md shows
-- how to install it; docs/protocol.md explains every field. Reads TCP, serial captures (RTAC Serial) and USB bulk transfers.

-- @insert constants@

-- @insert words@

-- @insert flags@

-- @insert cards@

-- @insert records@

-- @insert header@

-- @insert messages@

local shuffler = Proto("shuffler", "Shuffler bench protocol")

-- ------------------------------------------------------------------------------------------------------------ fields

local fields, order = {}, {}

local function declare(filter, field)
  fields[filter] = field
  order[#order + 1] = field
end

local NUMBERS = { [1] = ProtoField.uint8, [2] = ProtoField.uint16, [4] = ProtoField.uint32, [8] = ProtoField.uint64 }

local function declare_flags(filter, flags, size)
  for _, bit in ipairs(flags) do
    local name = filter .. "." .. bit.name:lower()
    declare(name, ProtoField.bool(name, bit.name, 8 * size, nil, bit.mask))
  end
end

local function declare_fields(prefix, list)
  for _, field in ipairs(list) do
    local filter, kind = prefix .. "." .. field.name, field.type
    if kind == "uint" then
      declare(filter, NUMBERS[field.size](filter, field.name, base.DEC, nil, nil, field.note))
    elseif kind == "bool" then
      declare(filter, ProtoField.bool(filter, field.name, base.NONE, nil, nil, field.note))
    elseif kind == "enum" then
      declare(filter, NUMBERS[field.size](filter, field.name, base.DEC, WORDS[field.of], nil, field.note))
    elseif kind == "flags" then
      declare(filter, NUMBERS[field.size](filter, field.name, base.HEX, nil, nil, field.note))
      declare_flags(filter, FLAGS[field.of], field.size)
    elseif kind == "bytes" or kind == "blob" then
      declare(filter, ProtoField.bytes(filter, field.name, base.NONE, field.note))
    elseif kind == "text" then
      declare(filter, ProtoField.string(filter, field.name, base.UNICODE, field.note))
    elseif kind == "cards" then
      declare(filter, ProtoField.uint8(filter, field.name, base.DEC, CARDS, nil, field.note))
    elseif kind == "places" then
      declare(filter, ProtoField.uint8(filter, field.name, base.DEC, nil, nil, field.note))
    elseif kind == "record" or kind == "list" then
      declare(filter, ProtoField.none(filter, field.name, field.note))
      declare_fields(filter, RECORDS[field.of])
    end
  end
end

local names = {}
for number, message in pairs(MESSAGES) do names[number] = message.name end

for _, field in ipairs(HEADER) do
  local filter = "shuffler." .. field.name
  local words = field.name == "message" and names or nil
  declare(filter, NUMBERS[field.size](filter, field.name, base[field.base], words, nil, field.note))
end
local HEADER_FLAGS = { { name = "SEALED", mask = SEALED }, { name = "RETRANSMITTED", mask = RETRANSMITTED } }
declare_flags("shuffler.flags", HEADER_FLAGS, 1)
for _, message in pairs(MESSAGES) do declare_fields("shuffler." .. message.filter, message.fields) end

local CHECKS = { [0] = "wrong", [1] = "right" }
declare("shuffler.body", ProtoField.bytes("shuffler.body", "body"))
declare("shuffler.crc", ProtoField.uint32("shuffler.crc", "crc", base.HEX, nil, nil, "CRC-32C over header and body"))
declare("shuffler.crc.status", ProtoField.uint8("shuffler.crc.status", "crc status", base.DEC, CHECKS))
declare("shuffler.sealed.counter", ProtoField.uint64("shuffler.sealed.counter", "packet counter"))
declare("shuffler.sealed.ciphertext", ProtoField.bytes("shuffler.sealed.ciphertext", "ciphertext and tag"))
declare("shuffler.noise", ProtoField.string("shuffler.noise", "noise", base.ASCII, "why these bytes are no frame"))
shuffler.fields = order

local bad_crc = ProtoExpert.new("shuffler.bad_crc", "wrong CRC", expert.group.CHECKSUM, expert.severity.ERROR)
local noise = ProtoExpert.new("shuffler.not_a_frame", "not a frame", expert.group.MALFORMED, expert.severity.WARN)
local malformed = ProtoExpert.new("shuffler.malformed", "malformed body", expert.group.MALFORMED, expert.severity.ERROR)
local unknown = ProtoExpert.new("shuffler.unknown", "unknown message", expert.group.UNDECODED, expert.severity.WARN)
local again = ProtoExpert.new("shuffler.again", "retransmitted", expert.group.SEQUENCE, expert.severity.NOTE)
shuffler.experts = { bad_crc, noise, malformed, unknown, again }

-- ----------------------------------------------------------------------------------------------------- CRC and COBS

local xor = bit32 and bit32.bxor or bit and function(a, b) return bit.bxor(a, b) % 4294967296 end
  or load("return function(a, b) return a ~ b end")()

local CRC = {}
for byte = 0, 255 do
  local crc = byte
  for _ = 1, 8 do
    local half = math.floor(crc / 2)
    crc = crc % 2 == 1 and xor(half, 0x82F63B78) or half
  end
  CRC[byte] = crc
end

local function crc32c(text, last)
  local crc = 0xFFFFFFFF
  for at = 1, last do
    crc = xor(CRC[xor(crc % 256, text:byte(at))], math.floor(crc / 256))
  end
  return xor(crc, 0xFFFFFFFF)
end

local function little(text, at)
  local a, b, c, d = text:byte(at, at + 3)
  return a + 256 * b + 65536 * c + 16777216 * d
end

local function uncobs(piece)
  local out, at, last = {}, 1, #piece
  while at <= last do
    local code = piece:byte(at)
    if at + code - 1 > last then return nil end
    out[#out + 1] = piece:sub(at + 1, at + code - 1)
    at = at + code
    if code < 255 and at <= last then out[#out + 1] = "\0" end
  end
  return table.concat(out)
end

-- Decode a piece between two delimiters: return its bytes and whether the check is right, or nil and why it is noise.
local function unpacked(piece)
  if #piece > MAX_ENCODED then return nil, "too long" end
  local raw = uncobs(piece)
  if raw == nil then return nil, "not COBS" end
  if #raw < HEADER_SIZE + 4 then return nil, "too short" end
  return raw, crc32c(raw, #raw - 4) == little(raw, #raw - 3)
end

local function is_utf8(text)
  local at, last = 1, #text
  while at <= last do
    local first = text:byte(at)
    local more = first < 0x80 and 0 or first >= 0xC2 and first < 0xE0 and 1 or first >= 0xE0 and first < 0xF0 and 2
      or first >= 0xF0 and first < 0xF5 and 3
    if not more or at + more > last then return false end
    local least = ({ [0xE0] = 0xA0, [0xF0] = 0x90 })[first] or 0x80
    local most = ({ [0xED] = 0x9F, [0xF4] = 0x8F })[first] or 0xBF
    for follow = 1, more do
      local byte = text:byte(at + follow)
      if byte < least or byte > most then return false end
      least, most = 0x80, 0xBF
    end
    at = at + more + 1
  end
  return true
end

-- ------------------------------------------------------------------------------------------------------------- bodies

-- A cursor over a body: `take` returns a range of `size` bytes, or raises an error with the reason.
local Cursor = {}
Cursor.__index = Cursor

function Cursor:take(size)
  if self.at + size > self.last then error({ reason = "it ends before its fields do" }) end
  self.at = self.at + size
  return self.bytes(self.at - size, size)
end

local function number_of(range)
  return range:len() == 8 and range:le_uint64() or range:le_uint()
end

local add_fields

local function add_field(tree, cursor, prefix, field)
  local filter, kind = prefix .. "." .. field.name, field.type
  local shown = fields[filter]
  if kind == "uint" or kind == "enum" or kind == "flags" then
    local range = cursor:take(field.size)
    local item = tree:add_le(shown, range)
    if kind == "enum" and WORDS[field.of][range:le_uint()] == nil then
      error({ reason = range:le_uint() .. " is no " .. field.of })
    elseif kind == "flags" then
      for _, bit in ipairs(FLAGS[field.of]) do item:add_le(fields[filter .. "." .. bit.name:lower()], range) end
    end
  elseif kind == "bool" then
    local range = cursor:take(field.size)
    tree:add_le(shown, range)
    if range:le_uint() > 1 then error({ reason = range:le_uint() .. " is no truth value (0 or 1)" }) end
  elseif kind == "bytes" then
    tree:add(shown, cursor:take(field.size))
  elseif kind == "record" then
    add_fields(tree:add(shown, cursor.bytes(cursor.at, 0)), cursor, filter, RECORDS[field.of])
  else
    local count = number_of(cursor:take(field.prefix))
    if kind == "list" then
      for _ = 1, count do
        add_fields(tree:add(shown, cursor.bytes(cursor.at, 0)), cursor, filter, RECORDS[field.of])
      end
    elseif kind == "cards" or kind == "places" then
      local range = cursor:take(count)
      for at = 0, count - 1 do tree:add(shown, range(at, 1)) end
    elseif kind == "text" then
      local range = cursor:take(count)
      if not is_utf8(range:raw()) then error({ reason = "a text is not UTF-8" }) end
      tree:add_packet_field(shown, range, ENC_UTF_8)
    else
      tree:add(shown, cursor:take(count))
    end
  end
end

add_fields = function(tree, cursor, prefix, list)
  for _, field in ipairs(list) do add_field(tree, cursor, prefix, field) end
end

local function add_body(tree, raw, last, message)
  local cursor = setmetatable({ bytes = raw, at = HEADER_SIZE, last = last }, Cursor)
  local whole, problem = pcall(function()
    if last - HEADER_SIZE > MAX_BODY then error({ reason = "longer than a body may be" }) end
    add_fields(tree, cursor, "shuffler." .. message.filter, message.fields)
    if cursor.at < last then error({ reason = (last - cursor.at) .. " bytes too many" }) end
  end)
  if not whole then
    if type(problem) ~= "table" then error(problem) end
    tree:add_proto_expert_info(malformed, message.name .. ": " .. problem.reason)
  end
end

-- ------------------------------------------------------------------------------------------------------------- frames

local function add_noise(tree, range, why)
  local item = tree:add(shuffler, range, "Shuffler: " .. why)
  item:add(fields["shuffler.noise"], range, why)
  item:add_proto_expert_info(noise, why)
  return why
end

-- Add one piece between delimiters to the tree; return its text for the packet list.
local function add_frame(tree, range, piece)
  local text, right = unpacked(piece)
  if text == nil then return add_noise(tree, range, right) end
  local raw = ByteArray.new(text, true):tvb("Shuffler frame")
  local last = #text - 4
  local number, flags = text:byte(3), text:byte(2)
  local message = MESSAGES[number]
  local name = message and message.name or string.format("message 0x%02X", number)
  local item = tree:add(shuffler, raw(), "Shuffler: " .. name)
  if message then item:append_text(", " .. message.meaning) end
  local at = 0
  for _, field in ipairs(HEADER) do
    local shown = item:add_le(fields["shuffler." .. field.name], raw(at, field.size))
    if field.name == "flags" then
      shown:add_le(fields["shuffler.flags.sealed"], raw(at, 1))
      shown:add_le(fields["shuffler.flags.retransmitted"], raw(at, 1))
    end
    at = at + field.size
  end
  if flags % (2 * RETRANSMITTED) >= RETRANSMITTED then item:add_proto_expert_info(again) end
  if not right then
    item:add(fields["shuffler.body"], raw(at, last - at))
    name = name .. " (wrong CRC)"
  elseif flags % (2 * SEALED) >= SEALED and last - at >= SEAL_OVERHEAD then
    item:add_le(fields["shuffler.sealed.counter"], raw(at, COUNTER_SIZE))
    item:add(fields["shuffler.sealed.ciphertext"], raw(at + COUNTER_SIZE, last - at - COUNTER_SIZE))
    name = name .. " (sealed)"
  elseif message == nil or (text:byte(1) ~= VERSION and text:byte(1) ~= HELLO_VERSION) then
    item:add(fields["shuffler.body"], raw(at, last - at))
    item:add_proto_expert_info(unknown, message and "unknown version" or "unknown message")
  else
    add_body(item, raw, last, message)
  end
  local crc = item:add_le(fields["shuffler.crc"], raw(last, 4))
  crc:add(fields["shuffler.crc.status"], raw(last, 4), right and 1 or 0)
  if not right then item:add_proto_expert_info(bad_crc) end
  return name
end

local function tell(pinfo, said)
  if #said == 0 then return end
  pinfo.cols.protocol = "SHUFFLER"
  pinfo.cols.info = table.concat(said, ", ")
end

-- Whether a text contains a complete valid frame: distinguishes this protocol from other streams.
local function has_frame(text)
  local pieces = 0
  for piece in text:gmatch("[^%z]+") do
    pieces = pieces + 1
    if pieces > 8 then return false end
    local _, right = unpacked(piece)
    if right == true then return true end
  end
  return false
end

-- ---------------------------------------------------------------------------------------------------------------- TCP

local LONGEST_GAP = 1048576 -- without a delimiter; beyond it nothing is waited for

function shuffler.dissector(tvb, pinfo, tree)
  local text, said, at = tvb:raw(), {}, 1
  while at <= #text do
    local stop = text:find("\0", at, true)
    if stop == nil then
      if #text - at < LONGEST_GAP then
        pinfo.desegment_offset = at - 1
        pinfo.desegment_len = DESEGMENT_ONE_MORE_SEGMENT
      else
        said[#said + 1] = add_noise(tree, tvb(at - 1), "too long")
      end
      break
    end
    if stop > at then said[#said + 1] = add_frame(tree, tvb(at - 1, stop - at), text:sub(at, stop - 1)) end
    at = stop + 1
  end
  tell(pinfo, said)
  return tvb:len()
end

DissectorTable.get("tcp.port"):add(7001, shuffler)
shuffler:register_heuristic("tcp", function(tvb, pinfo, tree)
  if not has_frame(tvb:raw()) then return false end
  pinfo.conversation = shuffler
  shuffler.dissector(tvb, pinfo, tree)
  return true
end)

-- ---------------------------------------------------------------------------------------------- serial lines and USB

-- Streams without reassembly below: the rest of each, and what every packet completed, from the first pass.
local streams, completed = {}, {}

function shuffler.init()
  streams, completed = {}, {}
end

local function pieces_of(stream, text)
  local pieces, at = {}, 1
  while true do
    local stop = text:find("\0", at, true)
    if stop == nil then break end
    if stream.skipping then
      pieces[#pieces + 1] = { why = "too long" }
      stream.skipping = false
    else
      local piece = stream.pending .. text:sub(at, stop - 1)
      if #piece > 0 then pieces[#pieces + 1] = { text = piece } end
    end
    stream.pending = ""
    at = stop + 1
  end
  if not stream.skipping then
    stream.pending = stream.pending .. text:sub(at)
    if #stream.pending > MAX_ENCODED then stream.skipping, stream.pending = true, "" end
  end
  return pieces
end

local function dissect_stream(key, tvb, pinfo, tree)
  if not pinfo.visited or completed[pinfo.number] == nil then
    streams[key] = streams[key] or { pending = "", skipping = false }
    completed[pinfo.number] = pieces_of(streams[key], tvb:raw())
  end
  local said = {}
  for _, piece in ipairs(completed[pinfo.number]) do
    said[#said + 1] = piece.why and add_noise(tree, tvb(), piece.why) or add_frame(tree, tvb(), piece.text)
  end
  tell(pinfo, said)
end

-- RTAC Serial: a header of twelve bytes; the ninth is the event, 0 for a change of the control lines.
local RTAC_HEADER, RTAC_EVENT = 12, 8
local rtac = Dissector.get("rtacser")
local interface = Field.new("frame.interface_id")
local serial = Proto("shuffler_serial", "Shuffler bench protocol on a serial line")

function serial.dissector(tvb, pinfo, tree)
  rtac:call(tvb, pinfo, tree)
  if tvb:len() < RTAC_HEADER then return end
  local found = interface()
  local line = "line " .. (found and found.value or 0) .. " "
  local event = tvb(RTAC_EVENT, 1):uint()
  if event == 0 and not pinfo.visited then streams[line .. 1], streams[line .. 2] = nil, nil end
  if tvb:len() > RTAC_HEADER then dissect_stream(line .. event, tvb(RTAC_HEADER):tvb(), pinfo, tree) end
end

local encapsulations = wtap_encaps or wtap
DissectorTable.get("wtap_encap"):add(encapsulations.RTAC_SERIAL, serial)

-- USB: each direction has its own endpoint address; notifications of the same device are not part of the stream.
local BULK = 3
local transfer_type = Field.new("usb.transfer_type")
local bulk = Proto("shuffler_usb", "Shuffler bench protocol on USB")

function bulk.dissector(tvb, pinfo, tree)
  local kind = transfer_type()
  if kind ~= nil and kind.value ~= BULK then return 0 end
  dissect_stream("usb " .. tostring(pinfo.src) .. " " .. tostring(pinfo.dst), tvb, pinfo, tree)
  return tvb:len()
end

DissectorTable.get("usb.product"):add(0x12090001, bulk) -- the test id that the emulated device shows by default
bulk:register_heuristic("usb.bulk", function(tvb, pinfo, tree)
  local key = "usb " .. tostring(pinfo.src) .. " " .. tostring(pinfo.dst)
  if streams[key] == nil and completed[pinfo.number] == nil and not has_frame(tvb:raw()) then return false end
  bulk.dissector(tvb, pinfo, tree)
  return true
end)
