/** Wall clock of one minute, read without Temporal. */
export interface WallMinute {
  readonly at: Date;
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** Day of the week from 1 for Monday. */
  readonly weekday: number;
  /** Minutes since midnight. */
  readonly minutes: number;
}

/** Days around a change of a zone's clock, minute by minute. */
export interface ClockChange {
  readonly timeZone: string;
  readonly minutes: readonly WallMinute[];
}

/** Changes of 2026: forward and back by an hour, at midnight, and by half an hour. */
const CHANGES = [
  ['Europe/Berlin', '2026-03-29T01:00Z'],
  ['Europe/Berlin', '2026-10-25T01:00Z'],
  ['America/New_York', '2026-03-08T07:00Z'],
  ['America/New_York', '2026-11-01T06:00Z'],
  ['America/Santiago', '2026-04-05T03:00Z'],
  ['America/Santiago', '2026-09-06T04:00Z'],
  ['Australia/Lord_Howe', '2026-04-04T15:00Z'],
  ['Australia/Lord_Howe', '2026-10-03T15:30Z'],
  ['Pacific/Auckland', '2026-04-04T14:00Z'],
  ['Pacific/Auckland', '2026-09-26T14:00Z'],
] as const;

const MINUTE = 60_000;
const HALF = 48 * 60;

const wallMinutes = (timeZone: string, change: Date): WallMinute[] => {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  return Array.from({ length: 2 * HALF }, (_, index) => {
    const at = new Date(change.getTime() + (index - HALF) * MINUTE);
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const [year = 0, month = 0, day = 0] = [parts.get('year'), parts.get('month'), parts.get('day')];
    const weekday = new Date(Date.UTC(year, month - 1, day)).getUTCDay() || 7;
    return { at, year, month, day, weekday, minutes: 60 * (parts.get('hour') ?? 0) + (parts.get('minute') ?? 0) };
  });
};

/** Two days before and after each change in five zones. */
export const clockChanges = (): ClockChange[] =>
  CHANGES.map(([timeZone, change]) => ({ timeZone, minutes: wallMinutes(timeZone, new Date(change)) }));

/** Wall clock as a number that grows by one a minute while the clock is not changed. */
export const wallNumber = ({ year, month, day, minutes }: Omit<WallMinute, 'at' | 'weekday'>): number =>
  Date.UTC(year, month - 1, day) / MINUTE + minutes;

/** Number of days in a month, from 1 for January. */
export const daysInMonth = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();
