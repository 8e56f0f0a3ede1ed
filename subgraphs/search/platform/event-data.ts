export type Data = Readonly<Record<string, unknown>>;

/** Text of a field, undefined if blank. */
export const textIn = (data: Data, name: string): string | undefined => {
  const value = data[name];
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
};

export const numberIn = (data: Data, name: string): number | undefined => {
  const value = data[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

export const flagIn = (data: Data, name: string): boolean | undefined => {
  const value = data[name];
  return typeof value === 'boolean' ? value : undefined;
};

const isData = (value: unknown): value is Data => typeof value === 'object' && value !== null && !Array.isArray(value);

export const dataIn = (data: Data, name: string): Data => {
  const value = data[name];
  return isData(value) ? value : {};
};

export const listIn = (data: Data, name: string): readonly Data[] => {
  const value = data[name];
  return Array.isArray(value) ? value.filter(isData) : [];
};

export const textsIn = (data: Data, name: string): string[] => {
  const value = data[name];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
};

/** Copies the defined fields under our names and omits the others. */
export const present = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } => {
  const defined: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  const isThere = <K extends keyof T>(value: T[K]): value is Exclude<T[K], undefined> => value !== undefined;
  for (const key in fields) {
    const value = fields[key];
    if (isThere(value)) defined[key] = value;
  }
  return defined;
};
