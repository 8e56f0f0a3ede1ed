import { defineOrder, numberKey, TEXT_END, type VersionOrder } from './version-order.ts';

// Marks in the order of rpmvercmp: a tilde is below the end, a caret above it but below any segment.
const [TILDE, END, CARET, LETTERS, DIGITS] = ['1', '2', '3', '4', '5'] as const;

/** Key of a version or a release: segments of letters or digits, other characters separate. Source: rpm, `rpmvercmp`. */
const partKey = (text: string): string => {
  let key = '';
  for (const [segment] of text.matchAll(/[A-Za-z]+|\d+|[~^]/g)) {
    if (segment === '~') key += TILDE;
    else if (segment === '^') key += CARET;
    else key += /\d/.test(segment) ? DIGITS + numberKey(segment) : LETTERS + segment + TEXT_END;
  }
  return key + END;
};

/** Order of RPM packages: epoch, version, release; a version without release is below those with one. Source: rpm-version(7). */
export const rpmOrder: VersionOrder = defineOrder({
  name: 'rpm',
  isVersion: (text) => /^(?:\d+:)?[A-Za-z0-9._+~^]*[A-Za-z0-9][A-Za-z0-9._+~^]*(?:-[A-Za-z0-9._+~^]+)?$/.test(text),
  keyOf(text) {
    const epoch = /^(\d+):/.exec(text)?.[1];
    const rest = epoch === undefined ? text : text.slice(epoch.length + 1);
    const hyphen = rest.indexOf('-');
    if (hyphen < 0) return numberKey(epoch ?? '') + partKey(rest);
    return `${numberKey(epoch ?? '')}${partKey(rest.slice(0, hyphen))}${END}${partKey(rest.slice(hyphen + 1))}`;
  },
});
