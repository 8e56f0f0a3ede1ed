import { defineOrder, LIST_END, numberKey, type VersionOrder } from './version-order.ts';

/** Lists of numbers, in which a list is below its continuation. */
const numericOrder = (name: string, syntax: RegExp): VersionOrder =>
  defineOrder({
    name,
    isVersion: (text) => syntax.test(text),
    keyOf: (text) =>
      syntax.test(text)
        ? text
            .split(/[.-]/)
            .map((digits) => numberKey(digits))
            .join('') + LIST_END
        : undefined,
  });

/** Order of R packages. Source: R, `numeric_version`. */
export const cranOrder: VersionOrder = numericOrder('cran', /^\d+(?:[.-]\d+)*$/);

/** Order of Haskell packages. Source: Cabal, `Distribution.Version`. */
export const hackageOrder: VersionOrder = numericOrder('hackage', /^\d+(?:\.\d+)*$/);
