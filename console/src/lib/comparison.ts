interface Component {
  readonly name: string;
}

/** Components of a release that a comparison does not list as changed. */
export const unchangedComponents = <C extends Component>(all: readonly C[], changes: readonly Component[]): C[] => {
  const changed = new Set(changes.map(({ name }) => name));
  return all.filter(({ name }) => !changed.has(name));
};

/** First line of a commit message, and the text after it; both are text of their author, with whatever markup. */
export function splitMessage(message: string): { readonly subject: string; readonly body: string } {
  const [first = '', ...rest] = message.trim().split(/\r\n|\r|\n/);
  return { subject: first.trim(), body: rest.join('\n').trim() };
}

/** Host of an address; the address itself where it has none. */
export const hostOf = (address: string): string => URL.parse(address)?.host || address;

/** Short form of a whole hash; another revision, such as a tag, stays as it is. */
export const shortRevision = (revision: string): string =>
  /^[0-9a-f]{40,64}$/i.test(revision) ? revision.slice(0, 9) : revision;
