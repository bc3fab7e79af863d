package io.fibry.cluster.infinispan;

import io.fibry.cluster.engine.ClusterEngine.NodeInfo;
import io.fibry.cluster.engine.EngineListener;
import io.fibry.cluster.engine.NotUnderstood;
import io.fibry.cluster.infinispan.InfinispanEngine.Joined;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.ChannelListener;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.View;
import org.jgroups.fork.ForkChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Messages to other nodes, on a channel that is forked from the cache's. Each begins with its kind and its sender. Thread-safe. */
final class Wire implements Receiver {
    /** For the listener. */
    static final byte MESSAGE = 0;
    /** The name of an entry that the receiver, who decides its order, is to write again. */
    static final byte REPAIR = 2;
    /** What members say about the tables. */
    static final byte TABLES = 3;
    /** Whether a round lasts. */
    static final byte ROUND = 4;

    private static final Logger LOGGER = LoggerFactory.getLogger(Wire.class);
    private static final byte QUORUM = 1;
    private static final int PREFIX = 1 + 16;

    private final JChannel channel;
    private final ForkChannel messages;
    private final UUID self;
    private final EngineListener listener;
    private final InfinispanEngine engine;
    private final NotUnderstood notUnderstood;
    private final Quorum quorum;
    private final ReentrantLock receiving = new ReentrantLock();

    private Wire(JChannel channel, int minimum, UUID self, EngineListener listener, InfinispanEngine engine,
            NotUnderstood notUnderstood) throws Exception {
        this.channel = channel;
        this.self = self;
        this.listener = listener;
        this.engine = engine;
        this.notUnderstood = notUnderstood;
        messages = new ForkChannel(channel, "fibry", "fibry");
        // What the quorum says must wait neither for room nor for what was sent before.
        quorum = new Quorum(id(channel.getAddress()), minimum,
                (to, bytes) -> sendToMember(QUORUM, to, bytes));
        messages.setReceiver(this);
    }

    /** Opens the channel for messages as soon as the channel below is connected, since others wait for this node's voice. */
    record Opener(InfinispanSettings settings, NodeInfo self, EngineListener listener,
            InfinispanEngine engine, NotUnderstood notUnderstood)
            implements
                ChannelListener {
        @Override
        public void channelConnected(JChannel channel) {
            try {
                var wire = new Wire(channel, settings.node().minimum(), self.incarnation(), listener, engine,
                        notUnderstood);
                engine.wires().complete(wire);
                wire.messages.connect(settings.node().cluster());
            } catch (Exception failed) {
                engine.wires().completeExceptionally(failed);
            }
        }
    }

    private static UUID id(Address address) {
        var id = (org.jgroups.util.UUID) address;
        return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }

    /** Sends what waits neither for room nor for what was sent before. */
    boolean sendToMember(byte kind, UUID to, ByteBuffer bytes) {
        return send(kind,
                new org.jgroups.util.UUID(to.getMostSignificantBits(), to.getLeastSignificantBits()),
                bytes,
                Message.Flag.NO_FC, Message.Flag.OOB);
    }

    /** The name of this node in the channel. */
    UUID id() {
        return id(channel.getAddress());
    }

    JChannel channel() {
        return channel;
    }

    Quorum quorum() {
        return quorum;
    }

    boolean send(byte kind, Address to, ByteBuffer bytes, Message.Flag... flags) {
        var framed = ByteBuffer.allocate(PREFIX + bytes.remaining()).put(kind)
                .putLong(self.getMostSignificantBits())
                .putLong(self.getLeastSignificantBits()).put(bytes.duplicate());
        try {
            messages.send(new BytesMessage(to, framed.array()).setFlag(flags));
            return true;
        } catch (Exception failed) {
            LOGGER.debug("A message of {} bytes to {} was not sent", framed.capacity(), to, failed);
            return false;
        }
    }

    @Override
    public void receive(Message message) {
        var bytes = ByteBuffer.wrap(message.getArray(), message.getOffset(), message.getLength());
        if (bytes.remaining() < PREFIX) {
            notUnderstood.add("A message of " + bytes.remaining() + " bytes from " + message.getSrc()
                    + " is too short and was dropped");
            return;
        }
        var kind = bytes.get();
        var from = new UUID(bytes.getLong(), bytes.getLong());
        try {
            switch (kind) {
                case MESSAGE -> tell(from, bytes.slice());
                case QUORUM -> {
                    if (quorum.heard(id(message.getSrc()), bytes.slice())) {
                        engine.look();
                    }
                }
                case TABLES ->
                    ifJoined(me -> me.reconciliation().heard(id(message.getSrc()), bytes.slice()));
                case ROUND -> ifJoined(me -> me.rounds().heard(id(message.getSrc()), bytes.slice()));
                case REPAIR ->
                    ifJoined(me -> me.upkeep().doubt(StandardCharsets.UTF_8.decode(bytes).toString()));
                default -> notUnderstood.add("A message of kind " + kind + " from " + message.getSrc()
                        + " is not known and was dropped");
            }
        } catch (BufferUnderflowException | IndexOutOfBoundsException malformed) {
            notUnderstood.add("A message of kind " + kind + " from " + message.getSrc()
                    + " is malformed and was dropped: " + malformed);
        } catch (RuntimeException failed) {
            LOGGER.error("A message of kind {} from {} could not be taken", kind, message.getSrc(), failed);
        }
    }

    private void ifJoined(Consumer<Joined> task) {
        if (engine.joined().isDone()) {
            task.accept(engine.joined().join());
        }
    }

    private void tell(UUID from, ByteBuffer bytes) {
        receiving.lock();
        try {
            listener.received(from, bytes);
        } finally {
            receiving.unlock();
        }
    }

    @Override
    public void viewAccepted(View view) {
        quorum.viewChanged(id(view.getViewId().getCreator()), view.getViewId().getId(),
                view.getMembers().stream().map(Wire::id).collect(Collectors.toUnmodifiableSet()));
        ifJoined(me -> me.rounds().viewChanged());
        var told = quorum.settled().thenRun(engine::look);
        LOGGER.trace("{} is settled: {}", view, told.isDone());
    }

    void close() {
        messages.close();
    }
}
