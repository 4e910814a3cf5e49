/** Shortened: Stripe sends many more fields. */
export const stripeEventExamples = {
  'checkout.session.completed': {
    id: 'evt_1Example',
    type: 'checkout.session.completed',
    created: 1_768_469_400,
    livemode: true,
    data: {
      object: {
        id: 'cs_live_1Example',
        mode: 'payment',
        payment_status: 'paid',
        created: 1_768_469_100,
        amount_total: 11_781,
        currency: 'usd',
        total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 1_881 },
        customer: 'cus_1Example',
        payment_intent: 'pi_1Example',
        metadata: { agentref_cid: 'clk_0198f1c27a4e7c319f0a2f1d3b6c8e51' },
      },
    },
  },
};
