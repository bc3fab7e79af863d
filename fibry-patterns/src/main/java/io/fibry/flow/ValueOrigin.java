package io.fibry.flow;

import io.fibry.function.Body;

/**
 * What makes the values of one subscription.
 *
 * @param supply the values
 * @param start begins to make values
 */
record ValueOrigin<T>(Supply<T> supply, Body start) {
}
