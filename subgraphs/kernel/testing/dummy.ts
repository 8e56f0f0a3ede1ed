const UUID = '01900000-0000-7000-8000-000000000001';

/** Methods that hand each element to a function: it is called, so that what it would do is seen. */
const visiting = new Set(['map', 'flatMap', 'filter', 'forEach', 'toSorted']);

type Get = (key: string | symbol) => unknown;

const proxy = (get: Get, keys: readonly string[] = []): unknown => {
  const made: unknown = new Proxy(() => undefined, {
    apply: () => made,
    construct: () => ({ dummy: made }),
    // A check for a symbol, such as that of `sql` for its fragments, gets false.
    has: (_target, key) => typeof key === 'string',
    get: (_target, key) => get(key),
    ownKeys: () => keys,
    getOwnPropertyDescriptor: (_target, key) =>
      typeof key === 'string' && keys.includes(key)
        ? { configurable: true, enumerable: true, value: get(key) }
        : undefined,
  });
  return made;
};

const primitive = (hint: unknown): unknown => (hint === 'number' ? 1 : UUID);

/**
 * Something that passes for any argument of a store function: it can be called and iterated, has every property, and is
 * a UUID or 1 where a primitive is needed. Its properties are the same again, or nothing at all when it is `hollow`.
 * @param keys properties that a spread copies
 */
export const dummy = ({ hollow = false, keys = [] }: { hollow?: boolean; keys?: readonly string[] } = {}): unknown => {
  const get: Get = (key) => {
    if (key === Symbol.toPrimitive) return primitive;
    if (key === Symbol.iterator) return () => [made].values();
    if (key === 'toJSON') return () => UUID;
    if (key === 'length') return 1;
    if (typeof key === 'string' && visiting.has(key))
      return (visit: unknown) => (typeof visit === 'function' ? [visit(made, 0, [made])] : [made]);
    // Never a promise, or whoever awaits it waits for ever.
    return key === 'then' || typeof key === 'symbol' || hollow ? undefined : made;
  };
  const made = proxy(get, keys);
  return made;
};

/** A dummy with some properties of its own. */
export const dummyWith = (properties: Readonly<Record<string, unknown>>): unknown => {
  const rest = dummy();
  const { get } = Reflect;
  return proxy((key) => (typeof key === 'string' && key in properties ? properties[key] : get(Object(rest), key)));
};
