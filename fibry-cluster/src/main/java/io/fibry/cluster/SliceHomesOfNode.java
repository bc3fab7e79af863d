package io.fibry.cluster;

import io.fibry.internal.keyed.SliceHomes;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The homes of the slices of a group, as a node sees them that shares it. */
record SliceHomesOfNode(HostedGroup<?, ?, ?> here, GroupSender<?, ?, ?> sender) implements SliceHomes {
    @Override
    public int slices() {
        return here.size();
    }

    @Override
    public CompletableFuture<?> ask(String id, Object message, Duration limit) {
        return sender.askIdentified(id, message, limit);
    }

    @Override
    public CompletableFuture<?> askHere(int slice, Supplier<? extends CompletableFuture<?>> ask) {
        return here.askHere(slice, ask);
    }
}
