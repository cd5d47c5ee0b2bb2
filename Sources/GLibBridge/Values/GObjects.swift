// SPDX-License-Identifier: Apache-2.0
import CGLib

/// Registers a type of GObjects, as large as `parent`. `initialize` sets up its class.
func registerType(_ name: String, parent: GType, _ initialize: GClassInitFunc? = nil) -> GType {
  var query = GTypeQuery()
  g_type_query(parent, &query)
  return g_type_register_static_simple(
    parent, name, query.class_size, initialize, query.instance_size, nil, GTypeFlags(rawValue: 0))
}

/// Makes a GObject with properties that are numbers.
package func newObject(_ type: GType, _ properties: KeyValuePairs<String, Int32> = [:]) -> UnsafeMutablePointer<
  GObject
>? {
  let values = properties.map { property in
    var value = GValue()
    g_value_init(&value, chappie_type_int())
    g_value_set_int(&value, property.value)
    return value
  }
  return withCStrings(properties.map(\.key)) { g_object_new_with_properties(type, guint(values.count), $0, values) }
}
