/** @meaning@ */
export interface @name@ {
// @insert fields@
}
