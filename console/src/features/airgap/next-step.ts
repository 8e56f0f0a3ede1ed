import { labelOr } from './labels.ts';

/** Next step after a refusal of a kit or a mirror; empty where its message says all there is to say. */
export const nextStep = (code: string | null): string => (code === null ? '' : labelOr(`kit.next.${code}`, ''));
