#define SHUF_@upper@_HEAD_SIZE @size@
typedef struct {
/* @insert fields@ */
} shuf_@name@_head;
