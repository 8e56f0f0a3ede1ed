import { currentLocale } from './i18n.ts';

/** Score from 0 to 1 with two decimals, as a list shows it. */
export const scoreText = (score: number): string => decimal(score, 2, 2);

/** Score or part of it as the server computed it, with at most six decimals, so that shown parts sum to the whole. */
export const exactText = (value: number): string => decimal(value, 2, 6);

/** Probability from 0 to 1 in per cent. */
export const percentText = (probability: number): string =>
  new Intl.NumberFormat(currentLocale(), { style: 'percent', maximumFractionDigits: 1 }).format(probability);

const decimal = (value: number, least: number, most: number): string =>
  new Intl.NumberFormat(currentLocale(), { minimumFractionDigits: least, maximumFractionDigits: most }).format(value);
