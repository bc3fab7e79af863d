/** Types for a single message: its fate, a reply that comes later, an envelope around it, the place that sent it. */
@NullMarked
package io.fibry.message;

import org.jspecify.annotations.NullMarked;
