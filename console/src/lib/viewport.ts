import { useSyncExternalStore } from 'react';

const PHONE = matchMedia('(max-width: 720px)');
const TABLET = matchMedia('(max-width: 1100px)');
const WIDE = matchMedia('(min-width: 1101px)');

const useMatch = (media: MediaQueryList): boolean =>
  useSyncExternalStore(
    (listener) => {
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => media.matches,
  );

/** Whether the window is narrow, as on a phone, where a slip of the thumb is likely. */
export const usePhone = (): boolean => useMatch(PHONE);

/** Whether the window is too narrow for a table of many columns beside the navigation. */
export const useTablet = (): boolean => useMatch(TABLET);

/** Whether a side panel fits beside the page. */
export const useWide = (): boolean => useMatch(WIDE);
