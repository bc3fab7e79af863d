package io.fibry.dump;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fibry.ActorSystem;
import io.fibry.testing.Promise;
import io.fibry.testing.Waits;
import java.lang.management.ManagementFactory;
import javax.management.AttributeNotFoundException;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import org.junit.jupiter.api.Test;

class DumpBeanTest {
    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();

    private String ask(ObjectName bean, String operation, Object... values) throws Exception {
        return (String) server.invoke(bean, operation, values, null);
    }

    @Promise("50.7")
    @Test
    void aBeanOfAllScopesGivesDumps() throws Exception {
        try (var scope = ActorSystem.open("seen-by-bean")) {
            scope.named("stock").newActor((String message) -> {
            });
            var bean = new ObjectName("io.fibry:type=Dump,scope=\"root\"");
            var registered = DumpBean.register(ActorSystem.root());
            try {
                assertThat(ask(bean, "summary")).startsWith("Dump of scope 'root'");
                assertThat(ask(bean, "text")).contains("Scope 'seen-by-bean' (open)").contains("'stock'");
                assertThat(ask(bean, "text", 0, 0, 1L)).contains("Scope 'seen-by-bean' (open)")
                        .doesNotContain("'stock'");
                assertThat(ask(bean, "json")).contains("\"seen-by-bean\"");
                assertThat(server.getMBeanInfo(bean).getOperations()).extracting(MBeanOperationInfo::getName)
                        .containsExactly("summary", "text", "text", "json");
                assertThatThrownBy(() -> ask(bean, "stop")).isInstanceOf(ReflectionException.class);
                assertThatThrownBy(() -> server.getAttribute(bean, "Text"))
                        .isInstanceOf(AttributeNotFoundException.class);
                assertThatThrownBy(() -> DumpBean.register(ActorSystem.root()))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("io.fibry:type=Dump").hasMessageContaining("cancel it first");
            } finally {
                assertThat(registered.cancel()).isTrue();
            }
            assertThat(registered.cancel()).isFalse();
            assertThat(server.isRegistered(bean)).isFalse();
        }
    }

    @Promise("50.7")
    @Test
    void aBeanOfAScopeGoesWithTheScope() throws Exception {
        var name =
                new ObjectName("io.fibry:type=Dump,scope=" + ObjectName.quote("a \"scope\", with = and *"));
        try (var scope = ActorSystem.open("a \"scope\", with = and *")) {
            DumpBean.register(scope);
            assertThat(ask(name, "summary"))
                    .startsWith("Dump of scope 'a \"scope\", with = and *'");
        }
        Waits.soon().until(() -> !server.isRegistered(name));
    }
}
