/** Package URL as people read it: `npm/@scope/name@1.0.0`. A text that is none stays as it is. */
export function purlText(purl: string): string {
  const [, path] = /^pkg:([^?#]+)/.exec(purl) ?? [];
  return path === undefined ? purl : decoded(path);
}

/** Parts of a symbol key, `language|package|module|name|signature`: the name, and the package as people read it. */
export function symbolParts(key: string): { readonly name: string; readonly place: string } {
  const [language, purl = '', module = '', name = ''] = key.split('|').map(decoded);
  if (name === '') return { name: key, place: '' };
  const place = [purlText(purl), module].filter(Boolean).join(' ');
  return { name, place: place || (language ?? '') };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
