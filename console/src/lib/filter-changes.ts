/** The search parameters of a list: its filters, the cursor of its page, and the dialog that is open over it. */
type ListView = { readonly after?: string | undefined; readonly ask?: unknown };

/**
 * Changes of a list's view. Another filter begins at the first page; `clear` is there only while a filter is set.
 * @param none the view without its filters
 */
export function filterChanges<V extends ListView>(view: V, go: (view: V) => void, none: V) {
  const { after: _after, ask: _ask, ...filters } = view;
  const isFiltered = Object.entries(filters).some(([name, value]) => value !== undefined && !(name in none));
  return {
    change: (next: Partial<V>) => go({ ...view, after: undefined, ...next }),
    clear: isFiltered ? () => go(none) : undefined,
  };
}
