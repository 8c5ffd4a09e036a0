// The signature is in the body, so only the packages can sign.
import adyen from '@adyen/api-library';
import braintree from 'braintree';

const validator = new adyen.hmacValidator();
const gateway = ({ publicKey, privateKey }) =>
  new braintree.BraintreeGateway({
    environment: braintree.Environment.Sandbox,
    merchantId: 'none',
    publicKey,
    privateKey,
  });

export const insides = [
  {
    package: '@adyen/api-library',
    provider: 'adyen',
    sign: (request, key) => {
      const body = JSON.parse(request.body);
      const item = body.notificationItems[0].NotificationRequestItem;
      item.additionalData = { hmacSignature: validator.calculateHmac(item, key) };
      return { ...request, body: JSON.stringify(body) };
    },
    verify: ({ body }, key) =>
      validator.validateHMAC(JSON.parse(body).notificationItems[0].NotificationRequestItem, key),
  },
  {
    package: 'braintree',
    provider: 'braintree',
    sign: async (request, keys) => {
      const sample = await gateway(keys).webhookTesting.sampleNotification(
        'subscription_charged_successfully',
        'amount-1999',
      );
      return { ...request, body: new URLSearchParams(sample).toString() };
    },
    verify: async ({ body }, keys) => {
      const form = new URLSearchParams(body);
      return Boolean(await gateway(keys).webhookNotification.parse(form.get('bt_signature'), form.get('bt_payload')));
    },
  },
];
