// SPDX-License-Identifier: Apache-2.0

/// The interface files of this folder, as they are installed, inside the program. They are read once, and not kept.
public enum BusInterfaceFiles {
  public static var manager: String { String(decoding: PackageResources.org_chappie_Manager_xml, as: UTF8.self) }
  public static var session: String { String(decoding: PackageResources.org_chappie_Session_xml, as: UTF8.self) }
  public static var client: String { String(decoding: PackageResources.org_chappie_Client_xml, as: UTF8.self) }
  public static var threads: String { String(decoding: PackageResources.org_chappie_Threads_xml, as: UTF8.self) }
  public static var objectManager: String {
    String(decoding: PackageResources.org_freedesktop_DBus_ObjectManager_xml, as: UTF8.self)
  }
}
