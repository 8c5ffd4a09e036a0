// A request with the headers that its signature travels in.
export function signed(request, headers) {
  return { ...request, headers: { ...request.headers, ...headers } };
}

// For verifiers that have no answer but the error they throw.
export function unlessItThrows() {
  return true;
}
