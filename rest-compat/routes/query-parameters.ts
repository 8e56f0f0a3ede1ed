import { one, type RouteRequest } from '@landfall/kernel/routes/route';

/** Reads a query parameter; one without a value counts as absent. */
export const input = ({ query }: RouteRequest, name: string): string | undefined => one(query[name]) || undefined;

/** Reads a page's size; a text that is no number is passed on, for the operation to refuse. */
export const limitOf = (text: string | undefined): number | string | undefined =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : text;
