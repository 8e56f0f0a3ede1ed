/** Label of a severity in tenths by the bands of CVSS 3 and 4; null where nothing rates it. */
export const severityLabel = (tenths: number | null): 'critical' | 'high' | 'medium' | 'low' | 'none' | null => {
  if (tenths === null) return null;
  if (tenths >= 90) return 'critical';
  if (tenths >= 70) return 'high';
  if (tenths >= 40) return 'medium';
  return tenths > 0 ? 'low' : 'none';
};
