package io.fibry.durable;

import io.fibry.codec.Codec;
import io.fibry.keyed.KeyedActors;
import java.util.concurrent.CompletableFuture;

/** Keyed actors without durable state. They get the messages of an outbox at least once. */
record PlainTarget<M>(KeyedActors<?, M, ?> actors, Class<M> type, Codec codec) implements Groups.Target {
    PlainTarget(KeyedActors<?, M, ?> actors, Class<M> type) {
        this(actors, type, Codec.of(type));
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
