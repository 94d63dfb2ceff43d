/** @meaning@ */
export const @name@: {
// @insert words@
};
export type @name@ = @value@;
