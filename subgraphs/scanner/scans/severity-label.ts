/** Bands of CVSS 3 and 4 in tenths, both ends included. */
export const SEVERITY_BANDS = {
  critical: [90, 100],
  high: [70, 89],
  medium: [40, 69],
  low: [1, 39],
  none: [0, 0],
} as const;

export type SeverityLabel = keyof typeof SEVERITY_BANDS;

/** Label of a severity in tenths by the bands of CVSS 3 and 4; null where nothing rates it. */
export const severityLabel = (tenths: number | null): SeverityLabel | null => {
  if (tenths === null) return null;
  if (tenths >= 90) return 'critical';
  if (tenths >= 70) return 'high';
  if (tenths >= 40) return 'medium';
  return tenths > 0 ? 'low' : 'none';
};
