import { useSyncExternalStore } from 'react';
import { fieldsOf, parseJson } from './json.ts';
import { createListeners } from './listeners.ts';
import { oneOf } from './url-state.ts';

export const THEMES = ['auto', 'light', 'dark'] as const;
export const DENSITIES = ['compact', 'regular', 'roomy'] as const;

/** Settings of this browser. The zone is an IANA name. */
type Settings = {
  readonly theme: (typeof THEMES)[number];
  readonly density: (typeof DENSITIES)[number];
  readonly zone: string;
  /** Shortcuts of one key, which may clash with speech input (WCAG 2.1.4). */
  readonly singleKeys: boolean;
};

const KEY = 'landfall.settings';
const DEFAULTS: Settings = { theme: 'auto', density: 'regular', zone: 'UTC', singleKeys: true };

const { subscribe, notify } = createListeners();
let current: Settings | undefined;

/** Settings from their stored text, with the default for each unreadable value. */
export function readSettings(stored: string | null): Settings {
  const raw = fieldsOf(parseJson(stored ?? ''));
  return {
    theme: oneOf(THEMES).read(raw.theme) ?? DEFAULTS.theme,
    density: oneOf(DENSITIES).read(raw.density) ?? DEFAULTS.density,
    zone: typeof raw.zone === 'string' && isZone(raw.zone) ? raw.zone : DEFAULTS.zone,
    singleKeys: raw.singleKeys !== false,
  };
}

export const useSettings = (): Settings => useSyncExternalStore(subscribe, settings);

export function settings(): Settings {
  current ??= readSettings(localStorage.getItem(KEY));
  return current;
}

export function saveSettings(patch: Partial<Settings>): void {
  current = { ...settings(), ...patch };
  localStorage.setItem(KEY, JSON.stringify(current));
  applySettings();
  notify();
}

/** Sets theme and density as attributes of the root element, where the design tokens read them. */
export function applySettings(): void {
  const { theme, density } = settings();
  const { dataset } = document.documentElement;
  if (theme === 'auto') delete dataset.theme;
  else dataset.theme = theme;
  if (density === 'regular') delete dataset.density;
  else dataset.density = density;
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
