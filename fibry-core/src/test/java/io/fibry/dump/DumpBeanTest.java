package io.fibry.dump;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.lang.management.ManagementFactory;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

class DumpBeanTest {
    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();

    private DumpMXBean bean(String name) throws Exception {
        return JMX.newMXBeanProxy(server, new ObjectName(name), DumpMXBean.class);
    }

    @Promise("50.7")
    @Test
    void aBeanOfAllScopesGivesDumps() throws Exception {
        try (var scope = ActorSystem.open("seen-by-bean")) {
            scope.named("stock").newActor((String message) -> {
            });
            var registered = DumpBean.register();
            try {
                var bean = bean("io.fibry:type=Dump");
                assertThat(bean.summary()).startsWith("Dump of scope 'root'");
                assertThat(bean.text()).contains("Scope 'seen-by-bean' (open)").contains("'stock'");
                assertThat(bean.text(0, 0, 1)).contains("Scope 'seen-by-bean' (open)")
                        .doesNotContain("'stock'");
                assertThat(bean.json()).contains("\"seen-by-bean\"");
                assertThatThrownBy(DumpBean::register).isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("io.fibry:type=Dump").hasMessageContaining("cancel it first");
            } finally {
                assertThat(registered.cancel()).isTrue();
            }
            assertThat(registered.cancel()).isFalse();
            assertThat(server.isRegistered(new ObjectName("io.fibry:type=Dump"))).isFalse();
        }
    }

    @Promise("50.7")
    @Test
    void aBeanOfAScopeGoesWithTheScope() throws Exception {
        var name =
                new ObjectName("io.fibry:type=Dump,scope=" + ObjectName.quote("a \"scope\", with = and *"));
        try (var scope = ActorSystem.open("a \"scope\", with = and *")) {
            DumpBean.register(scope);
            assertThat(bean(name.toString()).summary())
                    .startsWith("Dump of scope 'a \"scope\", with = and *'");
        }
        Waits.soon().until(() -> !server.isRegistered(name));
    }
}
