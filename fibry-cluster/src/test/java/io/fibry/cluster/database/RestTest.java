package io.fibry.cluster.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.fibry.ActorSystem;
import io.fibry.cluster.Cluster;
import io.fibry.cluster.ClusterGroup;
import io.fibry.cluster.ClusterOptions;
import io.fibry.testing.Promise;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a node at rest asks its database, by a driver that writes down each statement. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class RestTest {
    private static final String BEGIN = "BEGIN IMMEDIATE";
    private static final int GROUPS = 300;
    private static final int BEATS = 4;

    @TempDir
    private Path folder;
    private final LinkedBlockingQueue<String> statements = new LinkedBlockingQueue<>();

    private DataSource source() {
        return proxy(DataSource.class,
                (method, arguments) -> method.getName().equals("toString") ? "a file" : connection());
    }

    private Connection connection() throws Exception {
        var real = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("cluster.db"));
        return proxy(Connection.class, (method, arguments) -> {
            var made = method.invoke(real, arguments);
            if (made instanceof PreparedStatement prepared) {
                return statement(PreparedStatement.class, prepared, (String) arguments[0]);
            }
            return made instanceof Statement plain ? statement(Statement.class, plain, "") : made;
        });
    }

    private <T extends Statement> T statement(Class<T> type, T real, String sql) {
        return proxy(type, (method, arguments) -> {
            if (method.getName().startsWith("execute")) {
                statements.add(arguments == null ? sql : (String) arguments[0]);
            }
            return method.invoke(real, arguments);
        });
    }

    private interface Call {
        Object of(java.lang.reflect.Method method, Object[] arguments) throws Exception;
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type},
                (self, method, arguments) -> {
                    try {
                        return call.of(method, arguments);
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                }));
    }

    /** Returns the statements of the next transaction. */
    private List<String> next() throws InterruptedException {
        var all = new ArrayList<String>();
        String one;
        do {
            one = statements.poll(60, TimeUnit.SECONDS);
            assertThat(one).isNotNull();
            if (one.equals(BEGIN)) {
                all.clear();
            }
            all.add(one);
        } while (!one.equals("COMMIT"));
        return all;
    }

    /** Waits until so many transactions, one after the other, are those of a beat and nothing else. */
    private void awaitRest(List<String> beat) throws InterruptedException {
        for (int same = 0; same < BEATS;) {
            same = next().equals(beat) ? same + 1 : 0;
        }
    }

    /** The row is renewed and the others are looked at: no statement more for any group. */
    @Promise("92.10")
    @Test
    void groupsByTheHundredCostANodeAtRestNothing() throws Exception {
        var settings = DatabaseSettings.of(source()).lease(Duration.ofSeconds(15));
        try (var scope = ActorSystem.open("rest");
                var cluster = Cluster.open(scope, ClusterOptions.on(settings).slices(2))) {
            List<String> beat;
            do {
                beat = next();
            } while (!beat.get(1).contains("SET beat = "));
            assertThat(beat).hasSize(4);
            for (int i = 0; i < GROUPS; i++) {
                var group = ClusterGroup.of("group-" + i, Integer.class, Integer.class, Integer.class,
                        key -> key);
                var shared = cluster.share(group, scope.named(group.name()).keyed(group.keyOf())
                        .newActorsWithReturnFrom(key -> (self, message) -> message));
                if (i % 50 == 0) {
                    assertThat(shared.sendMessageReturn(i).get()).isEqualTo(i);
                }
            }
            while (cluster.homes().size() < GROUPS || cluster.homes().stream()
                    .anyMatch(homes -> homes.countOf(cluster.self()) < 2)) {
                Thread.yield();
            }
            statements.clear();
            awaitRest(beat);
        }
    }
}
