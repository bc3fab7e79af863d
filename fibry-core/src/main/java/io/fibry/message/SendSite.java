package io.fibry.message;

import io.fibry.ScopeBuilder;
import java.util.List;
import java.util.Optional;

/**
 * Where a message was sent from. A scope with {@link ScopeBuilder#senderSites} remembers it for some of the messages
 * that are sent to its actors. Immutable.
 *
 * @param actor the name of the actor whose code has sent the message; empty if it was sent outside of actors
 * @param frames the methods that were on the stack of the sender, the sender itself first, without those of this library;
 *     not more than a few
 */
public record SendSite(Optional<String> actor, List<StackTraceElement> frames) {
    /**
     * Makes a site.
     *
     * @param actor the name of the sending actor, if there is one
     * @param frames the stack of the sender, the innermost method first
     */
    public SendSite {
        frames = List.copyOf(frames);
    }

    @Override
    public String toString() {
        return "SendSite[" + actor.map(name -> "actor=" + name + ", ").orElse("") + "frames=" + frames + "]";
    }
}
