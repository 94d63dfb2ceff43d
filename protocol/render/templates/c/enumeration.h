/* @meaning@ */
enum shuf_@name@ {
/* @insert words@ */
};
