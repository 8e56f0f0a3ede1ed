export const formatWait = (waitMs: number): string => {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  if (seconds < 90) return seconds === 1 ? '1 second' : `${seconds} seconds`;
  return `${Math.ceil(seconds / 60)} minutes`;
};

export const FORM_EXPIRED = 'This page was not yours, or was open for too long. Try again.';
