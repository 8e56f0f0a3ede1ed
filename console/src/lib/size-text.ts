import { currentLocale } from './i18n.ts';

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Size in the largest unit of a thousand that leaves a digit before the point: `1.2 MB`. */
export function sizeText(bytes: number): string {
  let [value, step] = [bytes, 0];
  while (value >= 1000 && step < UNITS.length - 1) {
    value /= 1000;
    step += 1;
  }
  const maximumFractionDigits = value < 10 && step > 0 ? 1 : 0;
  return `${new Intl.NumberFormat(currentLocale(), { maximumFractionDigits }).format(value)} ${UNITS[step]}`;
}
