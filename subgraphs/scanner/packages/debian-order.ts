import { defineOrder, numberKey, type VersionOrder } from './version-order.ts';

const BEFORE_END = '!';
const END = '"';

/** Characters of a part that has no digits: tilde below the end, the end below letters, letters below all others. */
const charactersKey = (text: string): string => {
  if (/^[A-Za-z]*$/.test(text)) return text + END;
  let key = '';
  for (const character of text) {
    if (character === '~') key += BEFORE_END;
    else key += /[A-Za-z]/.test(character) ? character : String.fromCharCode(0x100 + character.charCodeAt(0));
  }
  return key + END;
};

/** Key of an upstream version or a revision: parts without and with digits in turn. Source: dpkg, `verrevcmp`. */
const partKey = (text: string): string => {
  let key = '';
  for (const [, characters = '', digits = ''] of text.matchAll(/(\D*)(\d*)/g)) {
    if (characters !== '' || digits !== '') key += charactersKey(characters) + numberKey(digits);
  }
  return key + END;
};

/** Order of Debian packages. Source: deb-version(7). */
export const debianOrder: VersionOrder = defineOrder({
  name: 'debian',
  isVersion: (text) => /^(?:\d+:)?\d[A-Za-z0-9.+~:-]*$/.test(text) && !text.endsWith('-') && !/^[^:]*:.*:/.test(text),
  keyOf(text) {
    const epoch = /^(\d+):/.exec(text)?.[1];
    const rest = epoch === undefined ? text : text.slice(epoch.length + 1);
    const hyphen = rest.lastIndexOf('-');
    const [upstream, revision] = hyphen < 0 ? [rest, '0'] : [rest.slice(0, hyphen), rest.slice(hyphen + 1)];
    return numberKey(epoch ?? '') + partKey(upstream) + partKey(revision);
  },
});
