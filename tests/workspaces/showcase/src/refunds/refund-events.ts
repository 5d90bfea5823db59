import type { Money } from '@/money'

export type RefundEvent =
  | { type: 'refund.settled'; id: string; refundId: string; amount: Money }
  | { type: 'refund.failed'; id: string; refundId: string; reason: string }
