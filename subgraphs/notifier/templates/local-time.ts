const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (zone: string): Intl.DateTimeFormat | undefined => {
  const known = formats.get(zone);
  if (known) return known;
  try {
    const format = new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      timeZoneName: 'longOffset',
    });
    formats.set(zone, format);
    return format;
  } catch {
    return undefined;
  }
};

/**
 * Minute of an instant in a time zone, with its offset: `2026-11-22 15:03 UTC+01:00`, `14:03 UTC`. UTC for a zone that is empty or
 * unknown; the text itself if it is no instant.
 */
export const localTime = (instant: string, zone: string): string => {
  const at = new Date(instant);
  if (instant === '' || Number.isNaN(at.getTime())) return instant;
  const format = formatOf(zone === '' ? 'UTC' : zone) ?? formatOf('UTC');
  const parts = new Map(format?.formatToParts(at).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  const offset = part('timeZoneName').replace('GMT', 'UTC').replace('+00:00', '');
  return `${part('year')}-${part('month')}-${part('day')} ${part('hour')}:${part('minute')} ${offset}`;
};
