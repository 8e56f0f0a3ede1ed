import { currentLocale, t } from './i18n.ts';

/** Precision of a written instant: the clock, the minute with its day, or all of it. */
export type Precision = 'clock' | 'minute' | 'full';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const PARTS: Readonly<Record<Precision, Intl.DateTimeFormatOptions>> = {
  clock: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
  minute: { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  full: {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  },
};

/** Zones this browser knows, UTC first. */
export const zones = (): string[] => ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

let own: string | undefined;

/** Browser's own zone, as it was when the page was opened: asking costs a tenth of a millisecond. */
export function ownZone(): string {
  own ??= new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return own;
}

/** `UTC`, or the short name at that instant (`EST`, `GMT+1`), so that the hours of a DST night differ. */
export function zoneName(zone: string, time: Date): string {
  if (zone === 'UTC') return 'UTC';
  const parts = formatter('en', { timeZone: zone, timeZoneName: 'short' }).formatToParts(time);
  return parts.find((part) => part.type === 'timeZoneName')?.value ?? zone;
}

/** City of a zone: `America/New_York` is `New York`. */
export const zoneCity = (zone: string): string => zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');

/** Instant in a zone, always with the zone's name. Half a year away, the year takes the place of the weekday. */
export function instant(iso: string, zone: string, precision: Precision, now = Date.now()): string {
  const at = new Date(iso);
  const isFar = precision === 'minute' && Math.abs(now - at.getTime()) > 182 * DAY;
  const { weekday, ...far } = PARTS[precision];
  const parts = isFar ? { ...far, year: 'numeric' as const } : PARTS[precision];
  const text = formatter(currentLocale(), { ...parts, timeZone: zone }).format(at);
  return `${text} ${zoneName(zone, at)}`;
}

/** Two clocks and the distance: UTC, the chosen zone (or the browser's own when that is UTC), relative. */
export function clocks(iso: string, zone: string, now: Date): string[] {
  const other = zone === 'UTC' ? ownZone() : zone;
  const line = (of: string, label: string) => `${label}  ${instant(iso, of, 'full')}`;
  const lines = [line('UTC', 'UTC')];
  if (other !== 'UTC') lines.push(line(other, zoneCity(other)));
  return [...lines, relative(iso, now)];
}

/** `3 h 57 min ago`, `in 4 h`, `just now`: the distance in its two largest units. */
export const relative = (iso: string, now: Date): string => distance(iso, now, span);

/** `3 h ago`: the distance in its largest unit only, which does not flicker. */
export const ago = (iso: string, now: Date): string => distance(iso, now, age);

function distance(iso: string, now: Date, words: (ms: number) => string): string {
  const ms = new Date(iso).getTime() - now.getTime();
  if (Math.abs(ms) < 5 * SECOND) return t('time.now');
  return ms < 0 ? t('time.ago', { span: words(-ms) }) : t('time.in', { span: words(ms) });
}

/** Length of time in its two largest units; under a minute in seconds. */
export function span(ms: number): string {
  const of = (unit: number, largerUnit: number) => Math.floor((ms % largerUnit) / unit);
  if (ms < MINUTE) return t('time.s', { n: Math.max(0, Math.floor(ms / SECOND)) });
  if (ms < HOUR) return joined('time.min', Math.floor(ms / MINUTE), 'time.s', of(SECOND, MINUTE));
  if (ms < DAY) return joined('time.h', Math.floor(ms / HOUR), 'time.min', of(MINUTE, HOUR));
  return joined('time.d', Math.floor(ms / DAY), 'time.h', of(HOUR, DAY));
}

export function age(ms: number): string {
  if (ms < MINUTE) return t('time.s', { n: Math.max(0, Math.floor(ms / SECOND)) });
  if (ms < HOUR) return t('time.min', { n: Math.floor(ms / MINUTE) });
  if (ms < DAY) return t('time.h', { n: Math.floor(ms / HOUR) });
  return t('time.d', { n: Math.floor(ms / DAY) });
}

/** Duration of a measured step: tenths of a second under ten seconds. */
export const measured = (ms: number): string =>
  ms < 10 * SECOND ? t('time.tenths', { n: (ms / SECOND).toFixed(1) }) : span(ms);

type Unit = 'time.s' | 'time.min' | 'time.h' | 'time.d';

const joined = (large: Unit, n: number, small: Unit, m: number): string =>
  m === 0 ? t(large, { n }) : `${t(large, { n })} ${t(small, { n: m })}`;

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Making a formatter costs far more than using it. The keys are few: languages, zones seen, precisions. */
function formatter(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${language} ${JSON.stringify(options)}`;
  const found = formatters.get(key) ?? new Intl.DateTimeFormat(language, options);
  formatters.set(key, found);
  return found;
}
