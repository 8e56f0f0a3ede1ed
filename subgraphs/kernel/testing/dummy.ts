const UUID = '01900000-0000-7000-8000-000000000001';

/** Methods that hand each element to a function: it is called, so that what it would do is seen. */
const iterationMethods = new Set(['map', 'flatMap', 'filter', 'forEach', 'toSorted']);

type Get = (key: string | symbol) => unknown;

const proxy = (get: Get, keys: readonly string[] = []): unknown => {
  const created: unknown = new Proxy(() => undefined, {
    apply: () => created,
    construct: () => ({ dummy: created }),
    // A check for a symbol, such as that of `sql` for its fragments, gets false.
    has: (_target, key) => typeof key === 'string',
    get: (_target, key) => get(key),
    ownKeys: () => keys,
    getOwnPropertyDescriptor: (_target, key) =>
      typeof key === 'string' && keys.includes(key)
        ? { configurable: true, enumerable: true, value: get(key) }
        : undefined,
  });
  return created;
};

const primitive = (hint: unknown): unknown => (hint === 'number' ? 1 : UUID);

/**
 * Creates a value that is accepted for any argument of a store function: it can be called and iterated, has every
 * property, and is a UUID or 1 where a primitive is needed. Its properties are dummies again, or undefined when it is
 * `hollow`.
 * @param keys properties that a spread copies
 */
export const dummy = ({ hollow = false, keys = [] }: { hollow?: boolean; keys?: readonly string[] } = {}): unknown => {
  const get: Get = (key) => {
    if (key === Symbol.toPrimitive) return primitive;
    if (key === Symbol.iterator) return () => [created].values();
    if (key === 'toJSON') return () => UUID;
    if (key === 'length') return 1;
    if (typeof key === 'string' && iterationMethods.has(key))
      return (visit: unknown) => (typeof visit === 'function' ? [visit(created, 0, [created])] : [created]);
    // Never a promise, since awaiting it would wait for ever.
    return key === 'then' || typeof key === 'symbol' || hollow ? undefined : created;
  };
  const created = proxy(get, keys);
  return created;
};

/** Creates a dummy with some properties of its own. */
export const dummyWith = (properties: Readonly<Record<string, unknown>>): unknown => {
  const rest = dummy();
  const { get } = Reflect;
  return proxy((key) => (typeof key === 'string' && key in properties ? properties[key] : get(Object(rest), key)));
};
