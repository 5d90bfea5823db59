import type { RefundEvent } from '@/refunds/refund-events'
import { endpointsOf } from '@/webhooks/endpoints'
import { post } from '@/webhooks/post'

/** Sends one event to every active endpoint of a shop; the queue calls it again for those that failed. */
export async function deliver(shopId: string, event: RefundEvent): Promise<void> {
  const endpoints = await endpointsOf(shopId)
  await Promise.all(endpoints.map((endpoint) => post(endpoint, event)))
}
