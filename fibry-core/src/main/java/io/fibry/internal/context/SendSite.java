package io.fibry.internal.context;

import java.util.List;
import java.util.Optional;

/**
 * Where a message was sent from.
 *
 * @param actor the name of the actor whose code has sent the message; empty if it was sent outside of actors
 * @param frames the methods that were on the stack of the sender, the sender itself first, without those of this library;
 *     not more than a few
 */
public record SendSite(Optional<String> actor, List<StackTraceElement> frames) {
}
