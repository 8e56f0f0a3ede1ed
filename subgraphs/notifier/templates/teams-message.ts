import type { JsonTreeObject } from './json-template.ts';
import { bytesOf, type Cutter, fitBytes, listOf } from './shrink.ts';

/** Bytes of a message that Teams takes from a workflow or an incoming webhook. */
export const TEAMS_BYTES = 28 * 1024;
/** Newest version of Adaptive Cards that Teams shows. */
const CARD_VERSION = '1.5';

const textBlock = (text: string): JsonTreeObject => ({ type: 'TextBlock', text, wrap: true });

/** Card of one text: Teams workflows take nothing but cards. */
export const textCard = (text: string): JsonTreeObject => ({
  type: 'AdaptiveCard',
  $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
  version: CARD_VERSION,
  body: [textBlock(text)],
});

/** Message that carries a card. */
const envelope = (card: JsonTreeObject): JsonTreeObject => ({
  type: 'message',
  attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content: card }],
});

/** Message of a card, fitted into the limit of Teams: texts are cut, then elements at the end left out. */
export const fitTeams = (card: JsonTreeObject, cutter: Cutter): JsonTreeObject => {
  const message = envelope(card);
  const body = listOf(card, 'body');
  const before = body.length;
  const fits = fitBytes(message, TEAMS_BYTES - bytesOf(textBlock(cutter.marker)) - 1, cutter, body);
  if (body.length < before) body.push(textBlock(cutter.marker));
  return fits ? message : envelope(textCard(cutter.marker));
};

/** Mistakes of a card that no value can mend, as it is written. */
export const cardMistake = (card: Readonly<Record<string, unknown>>): string | undefined => {
  if (card.type !== 'AdaptiveCard') return 'must be a card: its type is AdaptiveCard';
  const [, major, minor] = /^(\d)\.(\d)$/.exec(typeof card.version === 'string' ? card.version : '') ?? [];
  if (major === undefined || Number(`${major}${minor}`) > 15) return `must have a version up to ${CARD_VERSION}`;
  return undefined;
};
