import { useState } from 'react';

/** Search parameter: its parser, and its default when it is absent or invalid. */
export type Param<T> = { readonly read: (raw: unknown) => T | undefined };

/** Search parameters as read. Invalid ones are present as undefined: the router would keep the raw value otherwise. */
export type Search<T> = { [K in keyof T]?: T[K] | undefined };

/** Search parameters of a route as read, and the names of the invalid ones. */
export type View<T> = { readonly search: Search<T>; readonly unread: readonly string[] };

/** Free text, trimmed; empty is absent. */
export const textParam: Param<string> = {
  // A value that looks like a number is parsed as one by the router.
  read: (raw) => (typeof raw === 'string' || typeof raw === 'number' ? String(raw).trim() || undefined : undefined),
};

export const oneOf = <T extends string>(words: readonly T[]): Param<T> => ({
  read: (raw) => words.find((word) => word === raw),
});

/** List value in the URL, `a,b`. */
export const splitList = (text: string | undefined): readonly string[] => text?.split(',').filter(Boolean) ?? [];

/** Some of a closed list of values, in its order: `a,b`. An unknown one makes it invalid. */
export const someOf = (words: readonly string[]): Param<string> => ({
  read: (raw) => {
    const requested = splitList(textParam.read(raw));
    return requested.every((word) => words.includes(word))
      ? words.filter((word) => requested.includes(word)).join(',') || undefined
      : undefined;
  },
});

/** Whole number from `least` to `most`. */
export const integer = (least: number, most: number): Param<number> => ({
  read: (raw) => {
    const value = typeof raw === 'string' ? Number(raw) : raw;
    return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most ? value : undefined;
  },
});

/** Switch: present and `true`, or absent. */
export const flag: Param<true> = { read: (raw) => (raw === true || raw === 'true' ? true : undefined) };

/** Parser of a route's search parameters; drops an invalid value and collects its name for a notice. */
export function view<T extends object>(params: { readonly [K in keyof T]: Param<T[K]> }) {
  const names = Object.keys(params).filter((name): name is keyof T & string => name in params);
  return (raw: Readonly<Record<string, unknown>>): View<T> => {
    const search: Search<T> = {};
    const unread: string[] = [];
    for (const name of names) {
      if (raw[name] === undefined || raw[name] === '') continue;
      const value = params[name].read(raw[name]);
      if (value === undefined) unread.push(name);
      search[name] = value;
    }
    return { search, unread };
  };
}

/** Change of the search parameters that the address has, which a page may not have drawn yet. */
type SearchChange<T> = (current: Search<T>) => Search<T>;

type Navigate<T> = (to: {
  readonly search: SearchChange<T>;
  readonly replace?: boolean;
  readonly resetScroll?: boolean;
}) => unknown;

/** View of a list: the cursor of its page, and the changes of it. */
export type ListView = {
  readonly view: { readonly after?: string | undefined };
  readonly filterBy: (next: { readonly after: string | undefined }) => void;
  readonly clear: (() => void) | undefined;
};

/** Parameters that are no filter: the cursor of the list's page, what is open over it or in it, and how it is drawn. */
const NO_FILTERS: ReadonlySet<string> = new Set(['after', 'ask', 'finding', 'decision', 'document', 'version', 'full']);

/** Changes of a list's filters. Another filter begins at the first page; `clear` is absent while no filter is set. */
export function filterChanges<T>(view: Search<T>, go: (change: SearchChange<T>) => unknown) {
  const none: Search<T> = {};
  const isFiltered = Object.entries(view).some(([name, value]) => value !== undefined && !NO_FILTERS.has(name));
  return {
    filterBy: (next: Partial<Search<T>>) => void go((current) => ({ ...current, after: undefined, ...next })),
    clear: isFiltered ? () => void go(() => none) : undefined,
  };
}

/** Search parameters of a page and their changes. `set` changes some in place, for dialogs and panels. */
export const usePageView = <T>(view: Search<T>, navigate: Navigate<T>) => ({
  view,
  ...filterChanges(view, (search) => navigate({ search })),
  set: (next: Partial<Search<T>>) =>
    void navigate({ search: (current) => ({ ...current, ...next }), replace: true, resetScroll: false }),
});

/** View of a list whose page is not in the address. */
export function useOwnView(): ListView {
  const [after, setAfter] = useState<string>();
  return { view: { after }, filterBy: (next) => setAfter(next.after), clear: undefined };
}
