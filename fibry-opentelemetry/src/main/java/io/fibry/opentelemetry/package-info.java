/**
 * Contexts and spans of OpenTelemetry that go with messages. {@link io.fibry.opentelemetry.FibryTracing} is given to scopes.
 */
@NullMarked
package io.fibry.opentelemetry;

import org.jspecify.annotations.NullMarked;
