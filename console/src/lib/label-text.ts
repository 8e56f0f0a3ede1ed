/** Label of a product or a target: a name and a value. */
interface Label {
  readonly name: string;
  readonly value: string;
}

/** Characters of a label's name and value, as the server accepts them. */
const WORD = /^[A-Za-z0-9]([A-Za-z0-9._/-]{0,61}[A-Za-z0-9])?$/;

/** Labels from their text, `region=eu, ring=1`; undefined where a part is no label. */
export function parseLabels(text: string): Label[] | undefined {
  const labels = text
    .split(/[\s,]+/)
    .filter(Boolean)
    .map((part) => {
      const [name = '', value = '', ...rest] = part.split('=');
      return rest.length === 0 && WORD.test(name) && WORD.test(value) ? { name, value } : undefined;
    });
  return labels.every((label) => label !== undefined) ? labels : undefined;
}

/** Labels as people write them. */
export const formatLabels = (labels: readonly Label[]): string =>
  labels.map(({ name, value }) => `${name}=${value}`).join(', ');
