    {
        shuf_@inner@ item;
        size_t i;
        @target@.count = shuf_take_u@bits@(&cursor);
        @target@.data = cursor.at;
        for (i = 0; i < @target@.count && !cursor.bad; i++)
            shuf_@inner@_take(&cursor, &item);
        @target@.length = cursor.bad ? 0 : (size_t)(cursor.at - @target@.data);
    }
