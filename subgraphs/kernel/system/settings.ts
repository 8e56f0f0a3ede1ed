/** Typed settings tables. A value is read from the environment, else the settings file, else the default. */

type Common = Readonly<{
  /** Environment variable, e.g. `LANDFALL_PORT`. */
  env?: string;
  /** Name in the settings file, e.g. `ScoreReplay:Enabled`; any case; `__` for `:` makes it an environment variable. */
  name?: string;
  /** Other spellings of the name that the specification has. */
  also?: readonly string[];
  description: string;
  /** Never shown, not even when it is refused. */
  secret?: boolean;
}>;

/** One setting. Without a default it is optional and reads `undefined`. A duration is text such as `250ms`, `15m` or `00:15:00`. */
type Setting = Common &
  (
    | Readonly<{ type: 'string'; default?: string; oneOf?: readonly string[] }>
    | Readonly<{ type: 'integer'; default?: number; min?: number; max?: number }>
    | Readonly<{ type: 'number'; default?: number; min?: number; max?: number }>
    | Readonly<{ type: 'boolean'; default?: boolean }>
    | Readonly<{ type: 'duration'; default?: string }>
    | Readonly<{ type: 'url'; default?: string; schemes?: readonly string[] }>
    | Readonly<{ type: 'list'; default?: readonly string[] }>
    /** Names that are the operator's own: an object in the file, JSON in `env`, single entries in `<env>__<name>`. */
    | Readonly<{ type: 'map'; default?: Readonly<Record<string, unknown>> }>
  );

export type SettingsTable = Readonly<Record<string, Setting>>;

type Values = {
  string: string;
  integer: number;
  number: number;
  boolean: boolean;
  duration: number;
  url: string;
  list: readonly string[];
  map: Readonly<Record<string, unknown>>;
};

/** Values of a table of settings. Durations are in milliseconds. */
export type Settings<T extends SettingsTable> = {
  readonly [K in keyof T]: T[K] extends { default: unknown } ? Values[T[K]['type']] : Values[T[K]['type']] | undefined;
};

/** Sources of values: the environment, and the parsed settings file if there is one. */
export type SettingsSource = Readonly<{ env: Readonly<Record<string, string | undefined>>; file?: unknown }>;

/** Declares a table, keeping its exact type. */
export const defineSettings = <const T extends SettingsTable>(table: T): T => table;

type Reading = { value: Values[keyof Values] } | { reason: string };

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

const readInteger = (raw: unknown, { min, max }: { min?: number; max?: number }): Reading => {
  const value = typeof raw === 'string' && /^-?\d{1,15}$/.test(raw) ? Number(raw) : raw;
  const isFit = typeof value === 'number' && Number.isSafeInteger(value);
  if (isFit && value >= (min ?? -Infinity) && value <= (max ?? Infinity)) return { value };
  return {
    reason: `must be a whole number${min === undefined ? '' : ` from ${min}`}${max === undefined ? '' : ` to ${max}`}`,
  };
};

const readNumber = (raw: unknown, { min = -Infinity, max = Infinity }: { min?: number; max?: number }): Reading => {
  const value = typeof raw === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(raw) ? Number(raw) : raw;
  if (typeof value === 'number' && value >= min && value <= max) return { value };
  return { reason: `must be a number from ${min} to ${max}` };
};

const readBoolean = (raw: unknown): Reading => {
  const word = String(raw).toLowerCase();
  if (word === 'true' || word === '1') return { value: true };
  if (word === 'false' || word === '0') return { value: false };
  return { reason: 'must be true or false' };
};

/** Duration as .NET writes it: `00:15:00`, with days `7.00:00:00`. */
const TIME_SPAN = /^(?:(\d{1,5})\.)?([01]\d|2[0-3]):([0-5]\d):([0-5]\d)$/;

const readDuration = (raw: unknown): Reading => {
  const span = TIME_SPAN.exec(String(raw));
  if (span) {
    const [days, hours, minutes, seconds] = span.slice(1).map((part = '0') => Number(part));
    return { value: ((((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0)) * 1_000 };
  }
  const [, count, unit = ''] = /^(\d{1,9})(ms|s|m|h|d)$/.exec(String(raw)) ?? [];
  const factor = units[unit];
  return factor === undefined
    ? { reason: 'must be a duration such as 250ms, 90s, 15m, 12h, 30d or 00:15:00' }
    : { value: Number(count) * factor };
};

const readList = (raw: unknown): Reading => {
  const items: readonly unknown[] = typeof raw === 'string' ? raw.split(',').map((item) => item.trim()) : [raw].flat();
  return items.every((item) => typeof item === 'string')
    ? { value: items.filter((item) => item !== '') }
    : { reason: 'must be a list of texts' };
};

const readString = (raw: unknown, { oneOf }: { oneOf?: readonly string[] }): Reading => {
  if (typeof raw !== 'string') return { reason: 'must be text' };
  return !oneOf || oneOf.includes(raw) ? { value: raw } : { reason: `must be one of ${oneOf.join(', ')}` };
};

const readUrl = (raw: unknown, { schemes }: { schemes?: readonly string[] }): Reading => {
  const url = typeof raw === 'string' ? URL.parse(raw) : null;
  if (typeof raw !== 'string' || !url) return { reason: 'must be a URL' };
  const isFit = !schemes || schemes.some((scheme) => url.protocol === `${scheme}:`);
  return isFit ? { value: raw } : { reason: `must begin with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}` };
};

const isSection = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const readMap = (raw: unknown): Reading => {
  const value = typeof raw === 'string' ? parsed(raw) : raw;
  return isSection(value) ? { value } : { reason: 'must be an object, in the environment as JSON' };
};

const read = (setting: Setting, raw: unknown): Reading => {
  switch (setting.type) {
    case 'string':
      return readString(raw, setting);
    case 'integer':
      return readInteger(raw, setting);
    case 'number':
      return readNumber(raw, setting);
    case 'boolean':
      return readBoolean(raw);
    case 'duration':
      return readDuration(raw);
    case 'url':
      return readUrl(raw, setting);
    case 'list':
      return readList(raw);
    case 'map':
      return readMap(raw);
  }
};

// `{"ScoreReplay": {"Enabled": true}}` and `{"ScoreReplay:Enabled": true}` say the same.
const flatten = (section: unknown, maps: ReadonlySet<string>, prefix = ''): readonly (readonly [string, unknown])[] => {
  const name = prefix.slice(0, -1);
  if (!isSection(section) || maps.has(name.toLowerCase())) return [[name, section]];
  return Object.entries(section).flatMap(([key, value]) => flatten(value, maps, `${prefix}${key}:`));
};

/** `into` with `value` at a path of names. */
const placed = (into: unknown, [name, ...rest]: readonly string[], value: unknown): unknown =>
  name === undefined ? value : { ...(isSection(into) && into), [name]: placed(at(into, name), rest, value) };

const at = (value: unknown, name: string): unknown => (isSection(value) ? value[name] : undefined);

/** A map with the entries that variables of their own give it: `PLANS__pro=…`, `PLANS__pro__Actions__0=…`. */
const withEntries = (setting: Setting, env: SettingsSource['env'], found: Found | undefined): Found | undefined => {
  const prefixes = [setting.env, setting.name?.replaceAll(':', '__')].flatMap((name) =>
    name === undefined ? [] : [`${name.toLowerCase()}__`],
  );
  const entries = Object.entries(env).flatMap(([variable, value]) => {
    const prefix = prefixes.find((each) => variable.toLowerCase().startsWith(each));
    return prefix === undefined || !value ? [] : [{ variable, path: variable.slice(prefix.length).split('__'), value }];
  });
  return entries.reduce<Found | undefined>((complete, { variable, path, value }) => {
    const base = typeof complete?.raw === 'string' ? parsed(complete.raw) : complete?.raw;
    return { from: complete?.from ?? variable, raw: placed(base, path, value) };
  }, found);
};

/** Every spelling of a setting's name. */
const namesOf = ({ name, also = [] }: Setting): readonly string[] => [...(name === undefined ? [] : [name]), ...also];

const quotedValue = (setting: Setting, raw: unknown): string => (setting.secret ? '' : `, not ${JSON.stringify(raw)}`);

type Found = Readonly<{ from: string; raw: unknown }>;

/** A lookup by setting over one source; names are compared in lower case. */
const finder = (env: SettingsSource['env'], file: ReadonlyMap<string, unknown>) => {
  // An empty variable counts as unset, as docker-compose writes `${UNSET:-}`.
  const settings = new Map(
    Object.entries(env).flatMap(([key, value]) => (value ? [[key.toLowerCase().replaceAll('__', ':'), value]] : [])),
  );
  return (setting: Setting): Found | undefined => {
    const { env: variable } = setting;
    if (variable && env[variable]) return { from: variable, raw: env[variable] };
    const names = namesOf(setting);
    const inEnvironment = names.find((name) => settings.has(name.toLowerCase()));
    if (inEnvironment !== undefined)
      return { from: inEnvironment.replaceAll(':', '__'), raw: settings.get(inEnvironment.toLowerCase()) };
    const inFile = names.find((name) => file.has(name.toLowerCase()));
    return inFile === undefined ? undefined : { from: inFile, raw: file.get(inFile.toLowerCase()) };
  };
};

/** Whether these are values of at least this table. */
const hasSettings = <T extends SettingsTable>(table: T, values: object): values is Settings<T> =>
  Object.keys(table).every((key) => key in values);

/** Values of one table among those of several. @throws TypeError when the values were read by other tables */
export const settingsOf = <T extends SettingsTable>(table: T, values: object): Settings<T> => {
  if (!hasSettings(table, values)) throw new TypeError('The settings were read without this table.');
  return values;
};

const unknownNames = (table: SettingsTable, file: ReadonlyMap<string, unknown>): readonly string[] => {
  const known = new Set(Object.values(table).flatMap((setting) => namesOf(setting).map((name) => name.toLowerCase())));
  return [...file.keys()].filter((name) => !known.has(name)).map((name) => `${name}: is no setting`);
};

/** Reads every setting of a table. Throws one Error that names each invalid or unknown setting with its reason. */
export const loadSettings = <T extends SettingsTable>(table: T, { env, file = {} }: SettingsSource): Settings<T> => {
  const maps = new Set(
    Object.values(table).flatMap(({ type, name = '' }) => (type === 'map' ? [name.toLowerCase()] : [])),
  );
  const inFile = new Map(flatten(file, maps).map(([name, value]) => [name.toLowerCase(), value]));
  const find = finder(env, inFile);
  const problems = [...unknownNames(table, inFile)];
  const values: Record<string, unknown> = {};
  for (const [key, setting] of Object.entries(table)) {
    const settings = find(setting);
    const found = setting.type === 'map' ? withEntries(setting, env, settings) : settings;
    const raw = found ? found.raw : setting.default;
    const reading = raw === undefined ? { value: undefined } : read(setting, raw);
    if ('value' in reading) values[key] = reading.value;
    else problems.push(`${found?.from ?? key}: ${reading.reason}${quotedValue(setting, raw)}`);
  }
  if (problems.length > 0 || !hasSettings(table, values))
    throw new Error(`The settings cannot be used: ${problems.join('; ')}.`);
  return Object.freeze(values);
};

const cell = (text: string): string => text.replaceAll('|', '\\|');

const code = (text: string | undefined): string => (text ? `\`${text}\`` : '');

/** The variable of a setting; a secret may also be in a file that a second variable names. */
const shownVariable = ({ env, secret }: Setting): string =>
  [code(env), ...(env && secret ? [code(`${env}_FILE`)] : [])].join(', ');

const shownDefault = ({ default: value }: Setting): string =>
  value === undefined || isSection(value) ? '' : code(Array.isArray(value) ? value.join(', ') : String(value));

/** The README section of a table, as a Markdown table. */
export const settingsMarkdown = (table: SettingsTable): string =>
  [
    '| In the settings file | Environment | Type | Default | Meaning |',
    '|---|---|---|---|---|',
    ...Object.values(table).map((setting) => {
      const kind = 'oneOf' in setting && setting.oneOf ? setting.oneOf.join(' \\| ') : setting.type;
      const cells = [
        code(setting.name),
        shownVariable(setting),
        kind,
        shownDefault(setting),
        cell(setting.description),
      ];
      return `| ${cells.join(' | ')} |`;
    }),
    '',
  ].join('\n');
