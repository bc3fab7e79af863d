package io.fibry.web.internal;

import io.fibry.function.Handler;
import io.fibry.net.HttpEvent;
import io.fibry.topic.ChatEvent;
import java.util.OptionalLong;

/** Decides which events of a room a client gets. Its methods run in the actor of the member, one at a time. */
final class RoomReader<T> implements Handler<ChatEvent<T>> {
    private final RoomTexts texts;
    private final boolean presence;
    private final Handler<HttpEvent> out;
    /** The number of the last message that the client has seen, or -1 if it has seen none of this room. */
    private long seen;
    private boolean hasArrived;

    RoomReader(RoomTexts texts, OptionalLong seen, boolean presence, Handler<HttpEvent> out) {
        this.texts = texts;
        this.seen = seen.orElse(-1);
        this.presence = presence;
        this.out = out;
    }

    @Override
    public void handle(ChatEvent<T> event) throws Exception {
        switch (event) {
            case ChatEvent.Welcome<T>(var history) -> {
                for (var said : history) {
                    said(said);
                }
            }
            case ChatEvent.Said<T> said -> said(said);
            case ChatEvent.Joined<T> joined -> {
                if (!hasArrived) {
                    hasArrived = true;
                    out.handle(texts.arrived(joined.member(), joined.here(), presence));
                } else if (presence) {
                    out.handle(texts.joined(joined));
                }
            }
            case ChatEvent.Left<T> left -> {
                if (presence) {
                    out.handle(texts.left(left));
                }
            }
        }
    }

    private void said(ChatEvent.Said<T> said) throws Exception {
        if (said.number() <= seen) {
            return;
        }
        if (seen >= 0 && said.number() > seen + 1) {
            out.handle(texts.missed(said.number() - seen - 1));
        }
        seen = said.number();
        out.handle(texts.said(said));
    }
}
