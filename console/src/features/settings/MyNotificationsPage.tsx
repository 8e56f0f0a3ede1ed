import { useState } from 'react';
import { MyNotificationsDocument, type MyNotificationsQuery } from '../../generated/operations.ts';
import { useLiveQuery } from '../../lib/graph-hooks.ts';
import { listText } from '../../lib/i18n.ts';
import { Button } from '../../ui/Button.tsx';
import { Fact, Facts } from '../../ui/Facts.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { QueryResult, SkeletonRows } from '../../ui/QueryResult.tsx';
import { Section } from '../../ui/Section.tsx';
import { AddContactMethod, ConfirmCode, ContactMethods } from './ContactMethods.tsx';
import { t } from './labels.ts';
import { PreferencesForm } from './PreferencesForm.tsx';

type Notifications = MyNotificationsQuery;
type Preferences = Notifications['myNotificationPreferences'];
type Open = { readonly dialog: 'add' | 'preferences' } | { readonly dialog: 'confirm'; readonly methodId: string };

/** Page of the addresses at which the user is told, and of how. */
export function MyNotificationsPage() {
  const state = useLiveQuery(MyNotificationsDocument, {}, [
    'ContactMethod',
    'NotificationPreferences',
    'NotificationChannel',
  ]);
  const [opened, open] = useState<Open>();
  const close = () => open(undefined);
  const confirm = (methodId: string) => open({ dialog: 'confirm', methodId });
  return (
    <>
      <PageHead title={t('mine.title')} crumbs={[{ path: '/settings', label: t('settings.title') }]}>
        {t('mine.lead')}
      </PageHead>
      <QueryResult of={state} skeleton={<SkeletonRows rows={4} />} fault={t('mine.fault')}>
        {({ myContactMethods: methods, contactChannels: channels, myNotificationPreferences: preferences }) => (
          <>
            <Section
              title={t('methods.title')}
              side={channels.length > 0 && <Button onClick={() => open({ dialog: 'add' })}>{t('method.add')}</Button>}
            >
              {channels.length === 0 && <p className="small quiet">{t('methods.noChannel')}</p>}
              <ContactMethods methods={methods} channels={channels} confirm={confirm} />
            </Section>
            <Section
              title={t('preferences.title')}
              side={<Button onClick={() => open({ dialog: 'preferences' })}>{t('preferences.change')}</Button>}
            >
              <PreferenceFacts preferences={preferences} methods={methods} />
            </Section>
            {opened?.dialog === 'add' && <AddContactMethod channels={channels} added={confirm} close={close} />}
            {opened?.dialog === 'confirm' && (
              <ConfirmCode method={methods.find(({ id }) => id === opened.methodId)} close={close} />
            )}
            {opened?.dialog === 'preferences' && (
              <PreferencesForm preferences={preferences} methods={methods} close={close} />
            )}
          </>
        )}
      </QueryResult>
    </>
  );
}

type FactsProps = { readonly preferences: Preferences; readonly methods: Notifications['myContactMethods'] };

function PreferenceFacts({ preferences, methods }: FactsProps) {
  const { timeZone, locale, quietHours, defaultMethods, importantMethods } = preferences;
  const named = (ids: readonly string[]): string => {
    const addresses = ids.flatMap((id) => methods.find((method) => method.id === id)?.address ?? []);
    return addresses.length === 0 ? t('list.all') : listText(addresses);
  };
  return (
    <Facts look="page">
      <Fact label={t('list.default')}>{named(defaultMethods)}</Fact>
      <Fact label={t('list.important')}>{named(importantMethods)}</Fact>
      <Fact label={t('preferences.zone')}>{timeZone.replaceAll('_', ' ')}</Fact>
      <Fact label={t('preferences.language')}>{new Intl.DisplayNames('en', { type: 'language' }).of(locale)}</Fact>
      <Fact label={t('quiet.title')}>
        {quietHours
          ? `${t('quiet.range', { from: quietHours.from, to: quietHours.to })}${quietHours.weekdays ? `, ${listText(quietHours.weekdays.map((day) => t(`weekday.${day}`)))}` : ''}`
          : t('quiet.none')}
      </Fact>
    </Facts>
  );
}
