package io.fibry.durable;

import io.fibry.codec.Codec;
import io.fibry.keyed.KeyedActors;
import java.util.concurrent.CompletableFuture;

/** Keyed actors without durable state. They get the messages of an outbox at least once. */
final class PlainTarget<M> implements Groups.Target {
    private final KeyedActors<?, M, ?> actors;
    private final Class<M> type;
    private final Codec codec;

    PlainTarget(KeyedActors<?, M, ?> actors, Class<M> type) {
        this.actors = actors;
        this.type = type;
        codec = Codec.of(type);
    }

    @Override
    public String name() {
        return actors.name();
    }

    @Override
    public String kind() {
        return "keyed actors";
    }

    @Override
    public boolean isOf(KeyedActors<?, ?, ?> others) {
        return actors == others;
    }

    @Override
    public boolean sameAs(Groups.Target other) {
        return other instanceof PlainTarget<?> plain && plain.actors == actors;
    }

    @Override
    public byte[] encode(Object message) {
        return codec.encode(message);
    }

    @Override
    public M decode(byte[] message) {
        return codec.decode(message, type);
    }

    @Override
    public CompletableFuture<?> deliver(byte[] message, String id) {
        return actors.ask(decode(message), Outbox.ANSWER);
    }
}
