import type { Route } from './route.ts';

/** Headers of a retired route on every answer, errors included (spec 6.3, rulings 32). */
export const deprecationHeaders = ({
  sunset,
  successor,
}: Pick<Route, 'sunset' | 'successor'>): Record<string, string> =>
  sunset === undefined
    ? {}
    : {
        deprecation: 'true',
        sunset,
        ...(successor !== undefined && {
          link: `<${successor}>; rel="successor-version"`,
          warning: `299 - "Deprecated API: use ${successor}"`,
        }),
      };
