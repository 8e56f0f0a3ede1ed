import type { ReactNode } from 'react';
import { useNow } from '../../lib/now.ts';
import { DENSITIES, saveSettings, THEMES, useSettings } from '../../lib/settings.ts';
import { clocks, ownZone, zones } from '../../lib/time.ts';
import { Checkbox, SegmentedControl, Select } from '../../ui/Form.tsx';
import { LinkButton } from '../../ui/Link.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Section } from '../../ui/Section.tsx';
import { t } from './labels.ts';
import { SavedViews } from './SavedViews.tsx';
import { Security } from './Security.tsx';
import styles from './Settings.module.css';

export function SettingsPage() {
  const { theme, density, zone, singleKeys } = useSettings();
  const now = useNow();
  const both = clocks(now.toISOString(), zone, now).slice(0, 2);
  return (
    <>
      <PageHead title={t('settings.title')}>{t('settings.lead')}</PageHead>
      <div className={styles.settings}>
        <Section title={t('settings.look')}>
          <Setting label={t('settings.theme')}>
            <SegmentedControl
              label={t('settings.theme')}
              value={theme}
              options={THEMES.map((value) => ({ value, label: t(`theme.${value}`) }))}
              choose={(value) => saveSettings({ theme: value })}
            />
          </Setting>
          <Setting label={t('settings.density')}>
            <SegmentedControl
              label={t('settings.density')}
              value={density}
              options={DENSITIES.map((value) => ({ value, label: t(`density.${value}`) }))}
              choose={(value) => saveSettings({ density: value })}
            />
          </Setting>
        </Section>
        <Section title={t('settings.time')}>
          <div className={styles.part}>
            <Select
              name="zone"
              label={t('settings.zone')}
              hint={t('settings.zone.hint', { clocks: both.join(' · ') })}
              value={zone}
              options={[ownZone(), ...zones()]
                .filter((name, index, all) => all.indexOf(name) === index)
                .map((name) => ({ value: name, label: name.replaceAll('_', ' ') }))}
              onValue={(value) => saveSettings({ zone: value })}
            />
          </div>
        </Section>
        <Section title={t('settings.keys')}>
          <div className={styles.part}>
            <Checkbox
              label={t('settings.keys.single')}
              checked={singleKeys}
              onValue={(value) => saveSettings({ singleKeys: value })}
            />
            <p className="small quiet">{t('settings.keys.hint')}</p>
          </div>
        </Section>
        <Section title={t('mine.title')}>
          <div className={styles.part}>
            <LinkButton to="/settings/notifications">{t('mine.open')}</LinkButton>
            <p className="small quiet">{t('mine.hint')}</p>
          </div>
        </Section>
        <Security />
        <SavedViews />
      </div>
    </>
  );
}

function Setting({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className={styles.setting}>
      <span aria-hidden="true">{label}</span>
      {children}
    </div>
  );
}
