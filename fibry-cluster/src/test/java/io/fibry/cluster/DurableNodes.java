package io.fibry.cluster;

import io.fibry.cluster.engine.MemoryNetwork;
import io.fibry.durable.Bank;
import io.fibry.durable.Bank.Answer;
import io.fibry.durable.Bank.Balance;
import io.fibry.durable.Bank.Command;
import io.fibry.durable.Bank.Event;
import io.fibry.durable.CommitOptions;
import io.fibry.durable.Durable;
import io.fibry.durable.DurableStore;
import io.fibry.durable.Journal;
import io.fibry.keyed.KeyedActors;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** Nodes of one process that share a durable bank, each with a store of its own in front of the same logs. */
final class DurableNodes implements AutoCloseable {
    static final ClusterGroup<String, Command, Answer> GROUP =
            ClusterGroup.of("accounts", String.class, Command.class, Answer.class, Command::account);
    /** Longer than any test takes. */
    private static final CommitOptions PATIENT = CommitOptions.defaults().limit(Duration.ofSeconds(60));

    final MemoryNetwork network = new MemoryNetwork();
    final AtomicInteger handled = new AtomicInteger();
    private final List<Member> members = new CopyOnWriteArrayList<>();
    private final List<TestNode> others = new CopyOnWriteArrayList<>();

    /** A node. */
    final class Member implements AutoCloseable {
        final TestNode node;
        final KeyedActors<String, Command, Answer> accounts;
        final DurableStore store;

        private Member(String name, Journal journal,
                UnaryOperator<Durable<Balance, Event>> options) {
            node = new TestNode(name, network.node());
            store = DurableStore.of(journal, PATIENT);
            accounts = node.cluster.share(GROUP,
                    Bank.open(node.scope, options.apply(Bank.durable(store)).shared(), Bank.LONG, handled));
        }

        String name() {
            return node.cluster.self().name();
        }

        /** The others take it for lost, and it does not know. */
        void kill() {
            network.kill(node.engine);
            node.isDead = true;
        }

        /** Hands all over, and ends. */
        @Override
        public void close() {
            if (members.remove(this)) {
                node.close();
                store.close();
            }
        }
    }

    Member open(String name, Journal journal) {
        return open(name, journal, options -> options);
    }

    Member open(String name, Journal journal, UnaryOperator<Durable<Balance, Event>> options) {
        var member = new Member(name, journal, options);
        members.add(member);
        return member;
    }

    /** A node without the bank. It ends with the test. */
    TestNode join(String name) {
        var node = new TestNode(name, network.node());
        others.add(node);
        return node;
    }

    @Override
    public void close() {
        network.heal();
        members.reversed().forEach(Member::close);
        others.forEach(TestNode::close);
    }
}
