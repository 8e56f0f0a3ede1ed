/** Scope of a token request (distribution's token specification, "Resource Scope Grammar"). */
export interface RequestedScope {
  readonly text: string;
  readonly type: 'repository' | 'registry';
  readonly name: string;
  /** Distinct actions, in order. */
  readonly actions: readonly string[];
}

type ScopeReading =
  | { readonly scopes: readonly RequestedScope[]; readonly malformed?: undefined }
  | { readonly malformed: { readonly text: string; readonly reason: string } };

/** Upper bound of scopes: docker asks for one, for two when it mounts a blob. */
const MAX_SCOPES = 100;
/** distribution's own limit of a repository's name. */
const MAX_NAME_LENGTH = 255;
const MAX_SCOPE_LENGTH = 512;

// Each separator begins with a character that no word contains, so a name can be read in one way only and without
// backtracking.
const COMPONENT = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*$/;
const HOST = /^[a-zA-Z0-9]+(?:(?:\.|-+)[a-zA-Z0-9]+)*(?::\d{1,5})?$/;
const ACTION = /^(?:[a-z]{1,32}|\*)$/;

/** Whether a first path component can be a registry's host: it has a port, a dot, or an upper-case letter. */
const isHost = (component: string): boolean => component.length <= MAX_NAME_LENGTH && HOST.test(component);

/** Whether this is a repository's name, with or without a registry's host before it. */
export const isRepositoryName = (name: string): boolean => {
  if (name.length > MAX_NAME_LENGTH) return false;
  const [first = '', ...rest] = name.split('/');
  const isFirstGood = COMPONENT.test(first) || (rest.length > 0 && isHost(first));
  return isFirstGood && rest.every((component) => COMPONENT.test(component));
};

/** Printable, shortened excerpt of untrusted text. */
export const excerpt = (text: string, longest = 120): string => {
  const printable = text.slice(0, longest).replace(/[^ -~]/g, '?');
  return text.length > longest ? `${printable}…` : printable;
};

const malformed = (text: string, reason: string): ScopeReading => ({ malformed: { text: excerpt(text), reason } });

const readActions = (text: string): readonly string[] | undefined => {
  const actions = text.split(',');
  return actions.every((action) => ACTION.test(action)) ? [...new Set(actions)] : undefined;
};

/** Reads one scope: its type before the first colon, its actions after the last, since a host may carry a port. */
const readScope = (text: string): ScopeReading => {
  if (text.length > MAX_SCOPE_LENGTH) return malformed(text, `is longer than ${MAX_SCOPE_LENGTH} characters`);
  const [first, last] = [text.indexOf(':'), text.lastIndexOf(':')];
  if (first === last) return malformed(text, 'is not of the form repository:<name>:<actions>');
  const type = text.slice(0, first);
  const name = text.slice(first + 1, last);
  const actions = readActions(text.slice(last + 1));
  if (!actions) return malformed(text, 'has no list of actions such as pull,push after its last colon');
  if (type === 'repository')
    return isRepositoryName(name)
      ? { scopes: [{ text, type, name, actions }] }
      : malformed(text, 'names no repository that there could be');
  if (type === 'registry')
    return name === 'catalog'
      ? { scopes: [{ text, type, name, actions }] }
      : malformed(text, 'is of the registry, which has only catalog');
  return malformed(text, 'is of a type that is neither repository nor registry');
};

/** Reads the values of all `scope` parameters; each may contain several scopes, separated by spaces. */
export const readScopes = (parameters: readonly string[]): ScopeReading => {
  const texts = parameters.flatMap((parameter) => parameter.split(' ')).filter((text) => text !== '');
  const [excess] = texts.slice(MAX_SCOPES);
  if (excess !== undefined) return malformed(excess, `comes after ${MAX_SCOPES} others, which are too many`);
  const scopes: RequestedScope[] = [];
  for (const text of texts) {
    const reading = readScope(text);
    if (reading.malformed) return reading;
    scopes.push(...reading.scopes);
  }
  return { scopes };
};
