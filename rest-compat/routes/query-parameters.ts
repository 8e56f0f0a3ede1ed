import { one, type RouteRequest } from '@landfall/kernel/routes/route';

/** A parameter; one without a value counts as absent. */
export const given = ({ query }: RouteRequest, name: string): string | undefined => one(query[name]) || undefined;

/** A page's size; a text that is no number is passed on, to be refused by the operation. */
export const limitOf = (text: string | undefined): number | string | undefined =>
  text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : text;
